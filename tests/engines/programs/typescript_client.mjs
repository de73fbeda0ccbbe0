// The TypeScript client against a real server: node typescript_client.mjs PACKAGE URL TOKEN

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

const [packageFile, url, token] = process.argv.slice(2);
const { Client, Duplicate, Invalid, InvalidState, NotFound, OtherWorkflow, Unauthenticated, VersionConflict } =
  await import(packageFile);
const client = new Client(url, token);
const user = (content) => ({ role: "user", content });
const newId = () => `ts-${randomUUID().slice(0, 12)}`;
const contents = async (messages) => (await Array.fromAsync(messages)).map((each) => each.content);
Array.fromAsync ??= async (items) => {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
};

const tests = {
  async "messages, operations and pages"() {
    const conversation = await client.create({ messages: Array.from({ length: 5 }, (_, n) => user(`${n}`)) });
    const keepTwo = { operation: "truncate", truncate: { keep_last: 2 }, reason: "short" };
    assert.equal((await conversation.operate(keepTwo)).visible_count, 2);
    assert.deepEqual(await contents(conversation.messages()), ["3", "4"]);
    assert.deepEqual(await contents(conversation.messages("all")), ["0", "1", "2", "3", "4"]);
    assert.deepEqual((await conversation.pop()).map((each) => each.content), ["4"]);
    await conversation.rollBack(0);
    assert.equal((await conversation.messagesFor("openai")).messages.length, 5);
    await conversation.append(Array.from({ length: 1000 }, (_, n) => user(`more ${n}`)));
    assert.equal((await contents(conversation.messages())).length, 1005);
    await conversation.delete();
  },

  async "an error is of the class of its code and names what is wrong"() {
    const conversation = await client.create();
    await assert.rejects(client.create({ id: conversation.id }), Duplicate);
    await assert.rejects(client.conversation("nobody").read(), NotFound);
    await assert.rejects(new Client(url, "wrong").conversation("x").read(), Unauthenticated);
    await assert.rejects(conversation.append([{ role: "nobody", content: "x" }]), (error) => {
      assert.ok(error instanceof Invalid);
      assert.match(error.faults[0].pointer, /^\/messages\/0/);
      return true;
    });
    await conversation.start({ state: { a: 1 } });
    await conversation.pause();
    await conversation.save("c1", { node_id: "n", state_data: { a: 2 } });
    const stale = { node_id: "n", state_data: { a: 3 }, expected_version: 0 };
    await assert.rejects(conversation.changeState(stale), (error) => {
      assert.ok(error instanceof VersionConflict);
      assert.deepEqual([error.actual, error.changedKeys], [1, ["a"]]);
      return true;
    });
  },

  async "a number that JSON cannot say is refused before it is sent"() {
    const conversation = await client.create();
    await assert.rejects(conversation.start({ state: { share: NaN } }), /share is NaN/);
  },

  async "workers share the nodes of an execution and wait for people"() {
    const id = newId();
    const done = [];
    const worker = async () => {
      const run = await client.execution(id, { workflow: "three", conversation: { messages: [user("Where?")] } });
      return run.each(async ({ node, entered }) => {
        done.push(node);
        const said = { role: "assistant", content: `${node} at ${entered.version}` };
        if (node === "start") await client.conversation(id).pause({ reason: "a look" });
        return { response: said.content, messages: [said] };
      });
    };
    const person = async () => {
      for (let paused = false; !paused; ) {
        const { status, version } = await client.conversation(id).wait({ afterVersion: 0, status: ["PAUSED"] });
        paused = status === "PAUSED" && version > 0;
      }
      await client.conversation(id).approve({ reason: "fine" });
    };
    await client.ensure(id, { messages: [user("Where?")] });
    await client.conversation(id).start({ workflow: "three" });
    assert.deepEqual(await Promise.all([worker(), worker(), person()]), ["COMPLETED", "COMPLETED", undefined]);
    assert.deepEqual(done, ["start", "draft", "send"]);
    assert.equal((await contents(client.conversation(id).messages())).length, 4);
  },

  async "work that throws gives its node up, and the error is the caller's"() {
    const id = newId();
    const run = await client.execution(id, { workflow: "three" });
    const broken = run.each(() => Promise.reject(new RangeError("no model")));
    await assert.rejects(broken, /no model/);
    const { lease } = await client.conversation(id).claim("start", 60);
    await assert.rejects(client.conversation(id).claim("start", 60), (error) => {
      assert.ok(error instanceof InvalidState && error.heldBy !== "");
      return true;
    });
    await client.conversation(id).release("start", lease);
    await assert.rejects(client.execution(id, { workflow: "other" }), OtherWorkflow);
  },

  async "the executions of a conversation, and a wait for one that was ended"() {
    const conversation = await client.create();
    const first = (await conversation.start({ state: {} })).execution;
    await conversation.cancel();
    const second = (await conversation.start({ state: {} })).execution;
    const found = await Array.fromAsync(conversation.executions());
    assert.deepEqual(found.map((each) => [each.execution, each.status]), [[second, "RUNNING"], [first, "CANCELLED"]]);
    const waited = await conversation.wait({ execution: first, afterVersion: 9, seconds: 50 });
    assert.deepEqual([waited.status, waited.version, waited.changed], ["CANCELLED", 1, true]);
  },

  async "hidden messages are recalled, and versions deleted"() {
    const conversation = await client.create({ messages: [user("long ago"), user("now")] });
    await conversation.operate({ operation: "truncate", truncate: { keep_last: 1 } });
    const recalled = await conversation.recall(0, "draft");
    assert.deepEqual([recalled.content, recalled.visible], ["long ago", false]);
    const counted = await Array.fromAsync(conversation.recalls());
    assert.deepEqual(counted.map((each) => [each.index, each.node, each.recalls]), [[0, "draft", 1]]);
    for (const id of ["c1", "c2"]) await conversation.save(id, { node_id: "n", state_data: { id } });
    await conversation.deleteCheckpoint(1);
    const versions = (await Array.fromAsync(conversation.checkpoints())).map((each) => each.version);
    assert.deepEqual(versions, [2, 0]);
  },

  async "events go on exactly behind the one that was seen last"() {
    const conversation = await client.create();
    const seen = [];
    for await (const sent of conversation.events()) {
      if (sent.data.what !== "messages.append") {
        await conversation.append([user("one")]);
        continue;
      }
      seen.push(sent.data.count);
      await conversation.append([user("two")]);
      for await (const later of conversation.events(sent.id)) {
        seen.push(later.data.count);
        break;
      }
      break;
    }
    assert.deepEqual(seen, [1, 2]);
    for await (const { data } of client.events({ after: "0", kinds: ["messages"] })) {
      if (data.conversation === conversation.id) break;
    }
  },

  async "any call of the contract by its path"() {
    const found = await client.request("get", "/api/v1/workflows/{slug}", { path: { slug: "three" } });
    assert.equal(found.name, "Three nodes");
    const list = await client.request("get", "/api/v1/workflows", { query: { limit: 1 } });
    assert.equal(list.results.length, 1);
  },
};

for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
  } catch (error) {
    console.error(`${name}:`, error);
    process.exitCode = 1;
  }
}
