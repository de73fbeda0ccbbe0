"use strict";
var island = (() => {
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __export = (target, all) => {
    for (var name in all)
      __defProp(target, name, { get: all[name], enumerable: true });
  };
  var __copyProps = (to, from, except, desc) => {
    if (from && typeof from === "object" || typeof from === "function") {
      for (let key of __getOwnPropNames(from))
        if (!__hasOwnProp.call(to, key) && key !== except)
          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
    }
    return to;
  };
  var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

  // src/live/model.ts
  var model_exports = {};
  __export(model_exports, {
    NOWHERE: () => NOWHERE,
    advanced: () => advanced,
    closedBy: () => closedBy,
    follow: () => follow,
    movedTo: () => movedTo,
    withKeys: () => withKeys
  });
  function follow(state, frame) {
    if (frame.seq <= state.seq) return state;
    if (frame.seq !== state.seq + 1) return null;
    if (frame.type === "changed" && state.kind === "conversation") {
      const { seq, status, revision, count } = frame;
      const execution = frame.execution ?? state.execution;
      const version = frame.version ?? state.version;
      return { ...state, seq, execution, version, status, revision, count };
    }
    if (frame.type === "draft" && state.kind === "workflow") {
      const { seq, draft_version, published_version } = frame;
      return { ...state, seq, draft_version, published_version };
    }
    return null;
  }
  var OF_THE_CHANGE = /* @__PURE__ */ new Set(["v", "type", "id", "what", "who", "keys", "more_keys"]);
  function advanced(state, frame) {
    const after = follow(state, frame);
    if (after === state) return null;
    if (after) return { state: after, gap: false };
    const numbers = Object.entries(frame).filter(([name]) => !OF_THE_CHANGE.has(name));
    return { state: { ...state, ...Object.fromEntries(numbers) }, gap: true };
  }
  var FIRST_WAIT_MS = 400;
  var LONGEST_WAIT_MS = 15e3;
  var RIGHTS_CHANGED = 4403;
  var AWAY = 4503;
  var TOO_MANY = 4429;
  var MANY_FAILURES = 6;
  var FINAL = /* @__PURE__ */ new Set([4400, 4401, 4404]);
  function closedBy(code, failures, chance) {
    const wait = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) * (0.5 + chance / 2);
    return {
      refused: code >= 4400 && code !== AWAY,
      final: FINAL.has(code),
      waitMs: code === RIGHTS_CHANGED ? 0 : wait,
      failures: code === TOO_MANY ? MANY_FAILURES : failures + 1
    };
  }
  var NOWHERE = { where: "", editing: false, keys: [], kept: 0 };
  var LONGEST_PLACE = 200;
  var MOST_KEYS = 20;
  var KEYS_BYTES = 1e3;
  function movedTo(here, where = "", editing = false) {
    const known = where.length <= LONGEST_PLACE ? where : "";
    return known === here.where && editing === here.editing ? here : { ...here, where: known, editing };
  }
  function withKeys(here, keys) {
    const told = [];
    let room = KEYS_BYTES;
    for (const key of keys.slice(0, MOST_KEYS)) {
      const bytes = new TextEncoder().encode(JSON.stringify(key)).length;
      if (key.length > LONGEST_PLACE || bytes > room) continue;
      room -= bytes;
      told.push(key);
    }
    return JSON.stringify(told) === JSON.stringify(here.keys) ? here : { ...here, keys: told };
  }
  return __toCommonJS(model_exports);
})();
