// A short conversation with a tool, which a preview shows as long as a workspace has none.

const call = { id: "call_1", type: "function", function: { name: "find_parcel", arguments: '{"order": "A-1042"}' } };

/** Messages as JSON, as they can be pasted into a preview. */
export const EXAMPLE = JSON.stringify(
  [
    { role: "system", content: "You answer customers of a small shop. Look things up before you answer." },
    { role: "user", content: "Where is my order A-1042?" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: '{"parcel": "P-77", "where": "Sorting centre", "due": "Thursday"}' },
    { role: "assistant", content: "It is in the sorting centre and should arrive on Thursday." },
    { role: "user", content: "Can I still change the address?" },
  ],
  null,
  1,
);
