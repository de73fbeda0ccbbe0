// Makes the examples of the Vercel AI SDK, whose own checks and conversions they pass:
// npm install ai, in a folder of its own, then node make_vercel.mjs FOLDER_OF_NODE_MODULES
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const required = createRequire(join(process.argv[2], "index.js"));
const ai = await import(pathToFileURL(required.resolve("ai")).href);
const version = required("ai/package.json").version;
const here = dirname(fileURLToPath(import.meta.url));

const question = "What is the weather in Oslo?\nAnd tomorrow?";
const answer = "It is 15 degrees in Oslo.";
const city = { city: "Oslo" };
const picture = "data:image/png;base64,bm90IGEgcGljdHVyZQ==";

const ui = [
  { id: "u1", role: "system", parts: [{ type: "text", text: "You answer questions." }] },
  {
    id: "u2",
    role: "user",
    metadata: { createdAt: 1 },
    parts: [
      { type: "text", text: question },
      { type: "file", mediaType: "image/png", filename: "sky.png", url: picture },
    ],
  },
  {
    id: "u3",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "They want the weather.", state: "done" },
      {
        type: "tool-weather",
        toolCallId: "call_1",
        state: "output-available",
        input: city,
        output: { degrees: 15 },
      },
      {
        type: "dynamic-tool",
        toolName: "tides",
        toolCallId: "call_2",
        state: "output-error",
        input: city,
        errorText: "No tides.",
      },
      { type: "step-start" },
      { type: "text", text: answer, state: "done" },
      { type: "source-url", sourceId: "s1", url: "https://example.org", title: "Weather" },
    ],
  },
];
await ai.validateUIMessages({ messages: ui });

// As versions before 5 have them: calls beside the content.
const former = [
  { id: "f1", role: "user", content: question, createdAt: "2026-01-01T00:00:00.000Z" },
  {
    id: "f2",
    role: "assistant",
    content: answer,
    toolInvocations: [
      {
        state: "result",
        step: 0,
        toolCallId: "call_1",
        toolName: "weather",
        args: city,
        result: { degrees: 15 },
      },
    ],
  },
];

const model = await ai.convertToModelMessages(ui);
model.push({
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: "call_9",
      toolName: "weather",
      output: { type: "content", value: [{ type: "text", text: "late" }] },
    },
  ],
});
for (const message of model) ai.modelMessageSchema.parse(message);

function write(shape, examples) {
  const document = { made_by: { ai: version }, examples };
  writeFileSync(join(here, `${shape}.json`), JSON.stringify(document, null, 1) + "\n");
}

write("vercel_ui", { messages: ui, chat: { id: "chat-1", messages: ui }, former });
write("vercel", {
  messages: model,
  call: { system: "You answer questions.", messages: model.slice(1, -1) },
});
