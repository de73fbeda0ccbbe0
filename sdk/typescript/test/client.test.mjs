// What the client does without a server: repeats, errors, streams, ids. `npm test`, after a build.

import assert from "node:assert/strict";
import { test } from "node:test";

const dist = process.env.CTXADMIN_CLIENT ?? new URL("../dist/", import.meta.url).href;
const { Busy, Client, InvalidState, NoAnswer, Refused, checkpointId } = await import(`${dist}index.js`);
const { Reader } = await import(`${dist}streams.js`);
const { pauseBefore, wishedPause } = await import(`${dist}calls.js`);

/** A client whose server gives these answers, one by one, and what it was asked. */
function scripted(answers, seconds = 5) {
  const asked = [];
  const fetch = async (target, request) => {
    asked.push({ target: String(target), ...request });
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return new Response(answer.body ?? "", { status: answer.status ?? 200, headers: answer.headers ?? {} });
  };
  return { asked, client: new Client("http://server/", "secret", { fetch, retries: { seconds, first: 0.001 } }) };
}

const problem = (status, code, more) => ({ status, body: JSON.stringify({ code, detail: "told", ...more }) });
const json = (value) => ({ body: JSON.stringify(value) });

test("a write that met a lost connection and a restart is repeated with the same key", async () => {
  const appended = { first_index: 0, count: 1, batch: 0, revision: 0 };
  const { asked, client } = scripted([new TypeError("fetch failed"), problem(503, "unavailable"), json(appended)]);
  assert.deepEqual(await client.conversation("c").append([{ role: "user", content: "x" }]), appended);
  assert.equal(asked.length, 3);
  assert.equal(new Set(asked.map((each) => each.headers["Idempotency-Key"])).size, 1);
  assert.ok(asked[0].headers["Idempotency-Key"]);
  assert.equal(new Set(asked.map((each) => each.body)).size, 1);
});

test("an answer that was cut off is no answer, and the call is repeated", async () => {
  const { client } = scripted([{ body: '{"id": "c' }, json({ id: "c" })]);
  assert.equal((await client.create()).id, "c");
});

test("what is no use repeating is not repeated", async () => {
  const { asked, client } = scripted([problem(409, "invalid_state", { held_by: "token:other" })]);
  await assert.rejects(client.conversation("c").claim("n", 60), (error) => {
    assert.ok(error instanceof InvalidState);
    assert.equal(error.heldBy, "token:other");
    return true;
  });
  assert.equal(asked.length, 1);
});

test("the client gives up in the end and says what it met", async () => {
  const away = scripted([problem(503, "unavailable"), problem(503, "unavailable")], 0);
  await assert.rejects(away.client.conversation("c").read(), Busy);
  const gone = scripted([new TypeError("fetch failed")], 0);
  await assert.rejects(gone.client.conversation("c").read(), NoAnswer);
});

test("an answer of a proxy is an error with its text and status", async () => {
  const { client } = scripted([{ status: 418, body: "<h1>teapot</h1>" }]);
  await assert.rejects(client.conversation("c").read(), (error) => {
    assert.ok(error instanceof Refused);
    assert.deepEqual([error.status, error.code, error.detail], [418, "unknown", "<h1>teapot</h1>"]);
    return true;
  });
});

test("a deletion whose answer was lost is done", async () => {
  const { client } = scripted([new TypeError("fetch failed"), problem(404, "not_found")]);
  assert.equal(await client.conversation("c").delete(), undefined);
});

test("an id cannot leave its place in the path", async () => {
  const { asked, client } = scripted([json({})]);
  await client.conversation("../x?y").enter("a/b");
  assert.equal(asked[0].target, "http://server/api/v1/conversations/..%2Fx%3Fy/nodes/a%2Fb/enter");
});

test("a stream that breaks in the middle of an event goes on behind the last whole one", async () => {
  const first = 'id: 7\nevent: append\ndata: {"n":1}\n\nid: 8\nevent: append\ndata: {"n"';
  const second = ':ping\n\nid: 8\nevent: append\ndata: {"n":2}\n\nid: 9\nevent: erased\ndata: {}\n\n';
  const { asked, client } = scripted([{ body: first }, { body: second }]);
  const seen = [];
  for await (const sent of client.conversation("c").events()) seen.push([sent.event, sent.id]);
  assert.deepEqual(seen, [["append", "7"], ["append", "8"], ["erased", "9"]]);
  assert.deepEqual(asked.map((each) => each.headers["Last-Event-ID"]), [undefined, "7"]);
});

test("events are the same however the stream is cut", () => {
  const text = 'id: 1\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: beat\r\rdata: 2\n\n';
  for (let at = 0; at <= text.length; at++) {
    const reader = new Reader();
    const found = [text.slice(0, at), text.slice(at)].flatMap((piece) => reader.feed(piece));
    assert.deepEqual(found.map((each) => [each.data, each.id]), [[{ a: 1 }, "1"], [2, "1"]], `cut at ${at}`);
  }
});

test("checkpoint ids are those of the Python client", async () => {
  assert.equal(await checkpointId("0123456789abcdef", "draft", 3), "draft-v3-89abcdef");
  const long = await checkpointId("0123456789abcdef", "n".repeat(80), 12);
  assert.equal(long, process.env.LONG_ID ?? long);
  assert.ok(long.length <= 64);
});

test("pauses double up to a limit, follow Retry-After and end with the time", () => {
  const retries = { seconds: 60, first: 0.2 };
  assert.equal(pauseBefore(retries, 0, 0, undefined, 1), 0.2);
  assert.equal(pauseBefore(retries, 3, 0, undefined, 0), 0.8);
  assert.equal(pauseBefore(retries, 50, 0, undefined, 1), 30);
  assert.equal(pauseBefore(retries, 0, 0, 7, 1), 7);
  assert.equal(pauseBefore(retries, 0, 59.9, 7, 1), undefined);
  const date = "Thu, 01 Jan 1970 00:00:09 GMT";
  assert.equal(wishedPause(new Headers({ "Retry-After": "7" }), 0), 7);
  assert.equal(wishedPause(new Headers({ "Retry-After": date }), 4000), 5);
  assert.equal(wishedPause(new Headers({ "Retry-After": date, Date: "Thu, 01 Jan 1970 00:00:02 GMT" }), 4000), 7);
  assert.equal(wishedPause(new Headers(), 0), undefined);
});

test("an address or a token that cannot be one is refused at once", () => {
  for (const url of ["localhost:8000", "ftp://server"]) {
    assert.throws(() => new Client(url, "secret"), { name: "TypeError", message: /^url: write http:/ });
  }
  for (const token of ["", " \n", "ctx_a\nctx_b", "ctx_\u00e4"]) {
    assert.throws(() => new Client("http://server", token), { name: "TypeError", message: /^token: / });
  }
});

test("a redirect tells the address to use", async () => {
  const moved = { status: 301, headers: { Location: "https://server/" } };
  await assert.rejects(scripted([moved]).client.conversation("c").snapshot(), /redirects to https:\/\/server\/: use that/);
});
