// Builds the islands of src/ into static/build, with the licences of what is in them.

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "static", "build");

const entryPoints = {
  api_try: "src/api_try/main.ts",
  bulk: "src/bulk/main.ts",
  defer_while_pointer_down: "src/defer_while_pointer_down/main.ts",
  draft: "src/draft/main.ts",
  find: "src/find/main.ts",
  focus_return: "src/focus_return/main.ts",
  form_drafts: "src/form_drafts/main.ts",
  graph: "src/graph/main.tsx",
  keys: "src/keys/main.ts",
  layout: "src/graph/io/layout.worker.ts",
  lazy_message_sections: "src/lazy_message_sections/main.ts",
  live: "src/live/main.ts",
  live_page: "src/live_page/main.ts",
  message_actions: "src/message_actions/main.ts",
  message_links: "src/message_links/main.ts",
  notify: "src/notify/main.ts",
  palette: "src/palette/main.ts",
  policy_sliders: "src/policy_sliders/main.ts",
  reading: "src/reading/main.ts",
  review: "src/review/main.ts",
  review_notice: "src/review_notice/main.ts",
  review_queue: "src/review_queue/main.ts",
  select: "src/select/main.ts",
  sheet: "src/sheet/main.ts",
  state: "src/state/main.ts",
  state_find: "src/state_find/main.ts",
  submit_once: "src/submit_once/main.ts",
  time: "src/time/main.ts",
  unsaved_input_notice: "src/unsaved_input_notice/main.ts",
};
// Rules that stand in Python, too: tests run both on the same cases.
const forTests = { live: "src/live/model.ts" };

/** The packages whose files are in the bundles, as esbuild's own list of inputs tells. */
function bundled(inputs) {
  const roots = new Set();
  for (const path of Object.keys(inputs)) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (found) roots.add(found[1]);
  }
  return [...roots].sort();
}

async function licenceOf(root) {
  const { name, version, license } = JSON.parse(await readFile(join(here, root, "package.json"), "utf8"));
  const file = (await readdir(join(here, root))).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} brings no text of its licence`);
  const text = await readFile(join(here, root, file), "utf8");
  const path = `licences/${name.replace("@", "").replace("/", "-")}-${version}.txt`;
  return { name, version, licence: license, path, text };
}

export async function buildIslands() {
  const result = await build({
    absWorkingDir: here,
    entryPoints,
    outdir: target,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    metafile: true,
    legalComments: "none", // whole texts stand in licences/
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
  });
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, "licences"), { recursive: true });
  const sums = {};
  const write = async (path, text) => {
    await writeFile(join(target, path), text);
    sums[path] = createHash("sha256").update(text).digest("hex");
  };
  for (const file of result.outputFiles) await write(file.path.slice(target.length + 1), file.text);
  const packages = [];
  for (const root of bundled(result.metafile.inputs)) {
    const { name, version, licence, path, text } = await licenceOf(root);
    await write(path, text);
    packages.push({ name, version, licence, text: path });
  }
  await writeFile(join(target, "BUILD.json"), `${JSON.stringify({ packages, sha256: sums }, null, 2)}\n`);
  await build({
    absWorkingDir: here,
    entryPoints: forTests,
    outdir: join(here, "..", "tests", "assets", "build"),
    bundle: true,
    format: "iife",
    globalName: "island",
    target: "es2022",
    logLevel: "warning",
  });
  return Object.keys(sums).filter((path) => !path.startsWith("licences/"));
}
