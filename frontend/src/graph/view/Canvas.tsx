// The canvas: cards, lines, dragging, connecting and selecting, by React Flow.

import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection,
  type EdgeChange,
  type FinalConnectionState,
  MiniMap,
  type NodeChange,
  Panel,
  ReactFlow,
  SelectionMode,
  useConnection,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { type CSSProperties, type DragEvent, type KeyboardEvent as ReactKeyboardEvent, type MouseEvent as ReactMouseEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { warn } from "../io/notice";
import type { Marks } from "../io/setup";
import { groupOf } from "../model/canvas_data";
import { connection, isConnected, members, reconnection } from "../model/commands";
import { MOST_REACHING, type Named, reaches, boxOf as reachingBox, type Reach } from "../model/card_room";
import { spotsWithRoom, type Spoken, type Spot } from "../model/chip_room";
import type { Key, Position } from "../model/document";
import { find, indexOf } from "../model/document";
import { type Flow, graphBox } from "../model/lines";
import { chosenBy } from "../model/menu";
import { around, type Box, CARD, type Extent, isSeen, placesOf, shownExtent, shownWhole } from "../model/places";
import { type Drawn, nodeWords, onlyOne } from "../store";
import { t } from "../texts";
import { CARDS, Zoom, tokenWords } from "./Card";
import { useDesk, useEditor } from "./context";
import { addKind, centred, KIND_TYPE, moved } from "./actions";
import { EmptyCanvas } from "./EmptyCanvas";
import { drawnPlaces, type FlowEdge, flowEdges, type FlowNode, flowNodes, frameKey } from "./flow";
import { Icon } from "./Icon";
import { chipTexts, inLine, titleOf } from "./accessible_names";
import { LINES } from "./Line";
import { chipsWidth, foldedWidth, textWidth } from "./text_width";
import { useOpening, withChips } from "./first_view";
import { aboutOf, middleOf } from "./menu_target";
import type { Popup } from "./Popups";
import { type Drawing, TOOLS_WIDTH, ViewTools } from "./ViewTools";
import { canvasAt, hasWords, isLarge, letterAt, levelOf, NAME, nameLetterAt, rowsAt, stepOf } from "./zoom";

const MAP = { width: 150, height: 100 };
const GRID: [number, number] = [10, 10];
const LEAST_ZOOM = 0.05;

interface Props extends Drawing {
  readonly onPopup: (popup: Popup | null) => void;
}

export function Canvas({ drawing, onDrawing, onPopup }: Props) {
  const { store, setup } = useDesk();
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const drawn = useEditor(useShallow(({ document, places, chosen, words, costs, tokens, typed, marks, whatIf, mayChange }): Drawn => ({ document, places, chosen, words, costs, tokens, typed, marks, whatIf, mayChange })));
  const { nodes, edges, onNodesChange, onEdgesChange, dragging } = useFlow(drawn);
  const theme = useTheme();
  // From far away a card shows its name alone; letters keep their size on the screen.
  const step = useStore((state) => stepOf(state.transform[2]));
  const level = levelOf(step);
  const large = isLarge(drawn.document.nodes.length);
  const width = useStore((state) => state.width);
  const shown = useMemo(() => shownAt(drawn, width, step), [drawn, width, step]);
  const reach = useMemo(() => reachAt(drawn, edges, step, shown), [drawn, edges, step, shown]);
  const words = useMemo(() => (hasWords(step) ? null : wordsAt(drawn, edges, reach, step, shown)), [drawn, edges, reach, step, shown]);
  const zoom = useMemo(() => ({ level, words, large, reach }), [level, words, large, reach]);
  const rows = rowsAt(step);

  const onConnect = useCallback(
    ({ source, target }: Connection) => {
      const { document, edit, choose } = store.getState();
      const [from, to] = [find(document.nodes, source)?.id, find(document.nodes, target)?.id];
      if (!from || !to) return;
      if (isConnected(document, from, to)) return warn(t("{from} is already connected to {to}", { from, to }));
      const made = connection(document, from, to);
      edit(made.edit, t("Connect {from} with {to}", { from, to }));
      choose({ edges: [made.key] });
    },
    [store],
  );
  const onReconnect = useCallback(
    (old: FlowEdge, { source, target }: Connection) => {
      const { document, edit } = store.getState();
      const made = reconnection(document, old.id, source, target);
      if (made) edit(made, t("Connect to another node"));
    },
    [store],
  );
  const onDrop = (event: DragEvent): void => {
    const type = event.dataTransfer.getData(KIND_TYPE);
    const kind = setup.kinds.find((each) => each.type === type);
    if (!kind) return;
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    addKind(store, kind, { x: x - CARD.width / 2, y: y - CARD.height / 2 });
  };
  const menus = useMenus(onPopup);
  const pressed = useElementKeys();
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, { fromHandle, fromNode, toNode }: FinalConnectionState) => {
      const { document, places } = store.getState();
      const node = fromNode && find(document.nodes, fromNode.id);
      if (!node || !fromHandle || toNode) return;
      const { clientX: x, clientY: y } = "changedTouches" in event ? (event.changedTouches[0] as Touch) : event;
      const isSource = fromHandle.type === "source";
      const spot = spotAt(flow.screenToFlowPosition({ x, y }), drawnPlaces({ document, places }).flow, isSource);
      onPopup({ kind: "offer", at: { x, y }, spot, tie: isSource ? { from: node.id } : { to: node.id } });
    },
    [flow, onPopup, store],
  );
  const offer = (at: Position, middle: Position): void => onPopup({ kind: "offer", at, spot: centred(flow.screenToFlowPosition(middle)) });
  const onDoubleClick = (event: ReactMouseEvent): void => {
    const isBare = event.target instanceof Element && event.target.matches(".react-flow__pane");
    const at = { x: event.clientX, y: event.clientY };
    if (isBare && drawn.mayChange) offer(at, at);
  };
  const frame = useRef<HTMLDivElement>(null);
  const start = useOpening(frame);
  useFollowing(frame);
  // While a line is drawn, a card is where it can end as a whole (graph.css).
  const wanted = useConnection(({ fromHandle }) => (fromHandle ? (fromHandle.type === "source" ? "target" : "source") : null));

  return (
    <div
      className={`flow flow-${level}${large ? " flow-large" : ""}${rows === 1 ? " flow-one-row" : ""} flow-to-${drawnPlaces(drawn).flow}${wanted ? ` flow-wants-${wanted}` : ""}`}
      ref={frame}
      style={{ "--letter": `${letterAt(step)}px`, "--rows": rows } as CSSProperties}
      tabIndex={-1} // what is pressed on the empty canvas keeps the keys here
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(KIND_TYPE)) event.preventDefault();
      }}
      onDrop={onDrop}
      onDoubleClick={onDoubleClick}
      onKeyDownCapture={pressed}
      {...menus}
    >
      {start && (
        <Zoom value={zoom}>
        <ReactFlow<FlowNode, FlowEdge>
          nodes={nodes}
          edges={edges}
          nodeTypes={CARDS}
          edgeTypes={LINES}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onConnect={onConnect}
          onConnectEnd={onConnectEnd}
          onReconnect={onReconnect}
          onNodeDragStart={() => dragging(true)}
          onNodeDragStop={() => dragging(false)}
          onSelectionDragStart={() => dragging(true)}
          onSelectionDragStop={() => dragging(false)}
          onNodeClick={(event, node) => {
            const one = !(event.ctrlKey || event.metaKey || event.shiftKey);
            if (node.type === "card" && one) store.getState().choose({ nodes: [node.id] });
            if (node.type === "note") store.getState().choose({ nodes: [node.data.of] });
            if (node.type === "frame") store.getState().choose({ nodes: members(store.getState().document, node.data.name) });
          }}
          defaultViewport={start}
          minZoom={LEAST_ZOOM}
          maxZoom={2}
          snapToGrid
          snapGrid={GRID}
          nodesDraggable={drawn.mayChange}
          nodesConnectable={drawn.mayChange}
          edgesReconnectable={drawn.mayChange}
          connectionRadius={28}
          deleteKeyCode={null}
          selectionKeyCode="Shift"
          multiSelectionKeyCode={["Control", "Meta", "Shift"]}
          selectionOnDrag={drawing === "box"}
          selectionMode={SelectionMode.Partial}
          panOnDrag={drawing === "box" ? [1, 2] : true}
          zoomOnDoubleClick={false}
          onlyRenderVisibleElements
          colorMode={theme}
          ariaLabelConfig={{
            "node.a11yDescription.default": howToChoose(),
            "node.a11yDescription.keyboardDisabled": howToChoose(), // said when the keyboard is not disabled
            "node.a11yDescription.ariaLiveMessage": ({ x, y }) => t("Node moved to {x}, {y}.", { x, y }),
            "handle.ariaLabel": t("Connection points"),
            "edge.a11yDescription.default": t("Press Enter to select the edge, Enter again to edit it, Delete to delete it."),
            "minimap.ariaLabel": t("Minimap"),
          }}
        >
          <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
          <ViewTools drawing={drawing} onDrawing={onDrawing} />
          {drawn.marks && <Legend marks={drawn.marks} />}
          <Overview drawn={drawn} />
        </ReactFlow>
        </Zoom>
      )}
      <EmptyCanvas onOffer={(at) => offer(at, middleOf(frame.current))} />
    </div>
  );
}

// What stands beside a name (graph.css): the padding of a card, its icon, and each sign behind the name.
const PADDING = { far: 18, other: 30, filter: 34 };
const LINE_LETTER = 13;
const SIGN = 2;

/** What is shown of the canvas when all of the graph is in it. */
function shownAt(drawn: Drawn, width: number, step: number): Extent {
  const { places, lanes } = drawnPlaces(drawn);
  const beside = hasWords(step) ? withChips(lanes, drawn) : lanes.values();
  return places.size ? shownExtent(graphBox([...places.values()], beside), canvasAt(width, step), canvasAt(TOOLS_WIDTH, step)) : { left: 0, right: 0 };
}

/** The cards that are larger, so that their names are whole. */
function reachAt(drawn: Drawn, edges: readonly FlowEdge[], step: number, shown: Extent): ReadonlyMap<Key, Reach> {
  const { places, flow } = drawnPlaces(drawn);
  const { document, tokens, costs, marks, whatIf } = drawn;
  if (document.nodes.length > MOST_REACHING) return NO_REACH;
  const [level, letter] = [levelOf(step), nameLetterAt(step)];
  const { keys } = indexOf(document.nodes);
  const tried = new Set(whatIf?.sums.map((sum) => sum.node));
  const cards = document.nodes.map((node, place): Named => {
    const key = keys[place] as Key;
    const shows = marks?.nodes[node.id] !== undefined || tried.has(node.id);
    const isAlone = level === "far" || (level === "brief" && !shows);
    const rows = level === "middle" ? 2 : level !== "near" ? (level === "brief" && shows ? 1 : rowsAt(step)) : shows || tokens[key] || costs?.nodes[key]?.line ? 1 : 2;
    const signs = Number(level === "near" || level === "middle") + Number(node.config?.pause !== undefined || shows) + Number(Boolean(nodeWords(drawn, key)?.problems.length));
    const beside = level === "far" ? PADDING.far : PADDING.other + signs * SIGN * letter;
    const filter = level === "near" || (level === "middle" && !shows) ? inLine(nodeWords(drawn, key)?.filter.join(" · ") ?? "") : "";
    const figures = level === "near" && !shows ? [tokens[key] && tokenWords(tokens[key]), costs?.nodes[key]?.line].filter((text) => typeof text === "string" && text) as string[] : [];
    const size = Math.max(LINE_LETTER, letterAt(step));
    const least = Math.max(
      filter ? textWidth(filter, size) + PADDING.filter + 1.1 * letter : 0,
      ...figures.map((text) => textWidth(text, size) + PADDING.filter + 1.5 * letter),
    );
    return { key, at: places.get(key) as Position, name: titleOf(node), rows, height: isAlone ? NAME.height : rows * letter * NAME.row, beside, least };
  });
  const lines = edges.flatMap(({ source, target, data }) => {
    const [from, to] = [places.get(source), places.get(target)];
    return from && to ? [{ from, to, lane: data?.lane }] : [];
  });
  return reaches(cards, { lines, flow, letter, shown });
}
const NO_REACH: ReadonlyMap<Key, Reach> = new Map();

// A sign is 1.15 letters wide with a gap (graph.css), and the letters of a mark are bold.
const CHIP_SIGN = 17;
const BOLD = 0.1;

/** How much wider chips are by a sign before their words, and by bold letters. */
function signsWidth({ mark, words }: NonNullable<FlowEdge["data"]>, texts: readonly string[]): number {
  return Number(Boolean(words?.problems.length)) * CHIP_SIGN + (mark ? CHIP_SIGN + chipsWidth(texts) * BOLD : 0);
}

/** The edges that have room for their words, and where. */
function wordsAt(drawn: Drawn, edges: readonly FlowEdge[], reach: ReadonlyMap<Key, Reach>, step: number, shown: Extent): ReadonlyMap<Key, Spot> {
  const { places, flow } = drawnPlaces(drawn);
  const spoken = edges.flatMap(({ id, source, target, data }): Spoken[] => {
    const [from, to] = [places.get(source), places.get(target)];
    const texts = data ? chipTexts(data) : [];
    return from && to && data && texts.length ? [{ key: id, from, to, lane: data.lane, end: data.end, width: chipsWidth(texts) + signsWidth(data, texts), folded: foldedWidth(texts) + signsWidth(data, texts) }] : [];
  });
  const cards = [...places].map(([key, at]) => reachingBox(at, reach.get(key)));
  return spotsWithRoom(spoken, { cards, flow, letter: letterAt(step), shown });
}

/** The place of a card that begins, or ends, at a point. */
function spotAt({ x, y }: Position, flow: Flow, begins: boolean): Position {
  if (flow === "right") return { x: begins ? x : x - CARD.width, y: y - CARD.height / 2 };
  return { x: x - CARD.width / 2, y: begins ? y : y - CARD.height };
}

/** The right button, the Menu key and Shift F10 open the menu of what they are pressed on, which is then selected. */
function useMenus(onPopup: Props["onPopup"]) {
  const { store } = useDesk();
  return useMemo(() => {
    const open = (target: EventTarget | null, at: Position): void => {
      const { chosen, choose } = store.getState();
      const pointed = aboutOf(target);
      const only = onlyOne(chosen);
      // Keys are pressed on what has the focus; that may be the canvas, with something selected.
      const about = pointed.kind === "canvas" && target instanceof HTMLElement && target.classList.contains("flow") && only ? only : pointed;
      choose(chosenBy(about, chosen));
      onPopup({ kind: "menu", about, at });
    };
    return {
      onContextMenu: (event: ReactMouseEvent) => {
        event.preventDefault();
        open(event.target, event.clientX || event.clientY ? { x: event.clientX, y: event.clientY } : middleOf(event.target));
      },
      onKeyDown: (event: ReactKeyboardEvent) => {
        if (event.key !== "ContextMenu" && !(event.key === "F10" && event.shiftKey)) return;
        event.preventDefault();
        open(event.target, middleOf(event.target));
      },
    };
  }, [onPopup, store]);
}

/** Before React Flow, which takes the focus from what Escape is pressed on. */
function useElementKeys(): (event: ReactKeyboardEvent) => void {
  const { store } = useDesk();
  return useCallback(
    (event) => {
      const { chosen, choose } = store.getState();
      const about = event.target instanceof Element && event.target.matches(".react-flow__node, .react-flow__edge") ? aboutOf(event.target) : null;
      const only = onlyOne(chosen);
      const isEdited = about !== null && about.kind === only?.kind && about.key === only.key;
      if (!about || (event.key !== "Escape" && !(event.key === "Enter" && isEdited))) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Enter") document.querySelector<HTMLElement>(".editor-panel")?.focus();
      else choose({});
    },
    [store],
  );
}

/** A map of what is out of sight; where all is in sight, it would only cover some of it. */
function Overview({ drawn }: { readonly drawn: Drawn }) {
  const box = useMemo(() => boxOf(drawn), [drawn]);
  const isNeeded = useStore(({ transform: [x, y, zoom], width, height }) => box !== null && !isSeen({ x, y, zoom }, { width, height }, box));
  return isNeeded && <MiniMap style={MAP} pannable zoomable nodeClassName={miniClass} className="flow-map" />;
}

function boxOf(drawn: Drawn): Box | null {
  const spots = [...drawnPlaces(drawn).places.values()];
  return spots.length ? around(spots) : null;
}

const howToChoose = (): string => t("Press Enter to select the node, Enter again to edit it, arrow keys to move it, Delete to delete it.");

function miniClass(node: FlowNode): string {
  if (node.type !== "card") return `mini-${node.type}`;
  return node.data.mark ? `mini mark-${node.data.mark.sign}` : `mini tone-${node.data.kind?.tone ?? "secondary"}`;
}

/** What the marks mean, as far as there are any. */
function Legend({ marks }: { readonly marks: Marks }) {
  const used = new Set([...Object.values(marks.nodes), ...Object.values(marks.edges)].map(([sign]) => sign));
  return (
    <Panel position="bottom-left">
      <ul className="flow-legend" aria-label={t("Legend")}>
        {marks.signs
          .filter(([name]) => used.has(name))
          .map(([name, icon, word]) => (
            <li key={name} className={`mark-${name}`}>
              <Icon name={icon} />
              {word}
            </li>
          ))}
      </ul>
    </Panel>
  );
}

/** The nodes and edges of React Flow, and what its changes mean for the document. */
function useFlow(drawn: Drawn) {
  const { store, setup } = useDesk();
  const kinds = useMemo(() => new Map(setup.kinds.map((kind) => [kind.type, kind])), [setup]);
  const [nodes, setNodes] = useState<FlowNode[]>(() => flowNodes(drawn, kinds, []));
  const [edges, setEdges] = useState<FlowEdge[]>(() => flowEdges(drawn, []));
  const now = useRef(nodes);
  now.current = nodes;
  const byHand = useRef(false);

  useLayoutEffect(() => {
    setNodes((before) => flowNodes(drawn, kinds, before));
    setEdges((before) => flowEdges(drawn, before));
  }, [drawn, kinds]);

  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      const { choose, chosen, document } = store.getState();
      const selects = changes.filter((change) => change.type === "select");
      if (selects.length) {
        const nodeKeys = new Set(chosen.nodes);
        for (const { id, selected } of selects) selected ? nodeKeys.add(id) : nodeKeys.delete(id);
        const there = indexOf(document.nodes).at;
        choose({ ...chosen, nodes: [...nodeKeys].filter((key) => there.has(key)) });
      }
      const others = changes.filter((change) => change.type !== "select" && change.type !== "remove");
      if (!others.length) return;
      const all = [...others, ...followers(others, now.current)];
      now.current = applyNodeChanges(all, now.current);
      setNodes(now.current);
      const byKeys = !byHand.current && others.some((change) => change.type === "position" && change.position);
      if (byKeys) moved(store, now.current, "arrows");
    },
    [store],
  );
  const onEdgesChange = useCallback(
    (changes: EdgeChange<FlowEdge>[]) => {
      const { choose, chosen } = store.getState();
      const keys = new Set(chosen.edges);
      for (const change of changes) {
        if (change.type === "select") change.selected ? keys.add(change.id) : keys.delete(change.id);
      }
      if (changes.some((change) => change.type === "select")) choose({ ...store.getState().chosen, edges: [...keys] });
    },
    [store],
  );
  const dragging = useCallback(
    (starts: boolean) => {
      byHand.current = starts;
      if (!starts) moved(store, now.current);
    },
    [store],
  );
  return { nodes, edges, onNodesChange, onEdgesChange, dragging };
}

/** Who moves along: the members of a group that is dragged by its title, the note of a card. */
function followers(changes: readonly NodeChange<FlowNode>[], nodes: readonly FlowNode[]): NodeChange<FlowNode>[] {
  const by = new Map<string, Position>();
  const at = new Map(nodes.map((node) => [node.id, node]));
  const own = new Set(changes.flatMap((change) => (change.type === "position" ? [change.id] : [])));
  for (const change of changes) {
    if (change.type !== "position" || !change.position) continue;
    const was = at.get(change.id)?.position;
    if (was) by.set(change.id, { x: change.position.x - was.x, y: change.position.y - was.y });
  }
  if (!by.size) return [];
  const shifts = (node: FlowNode): Position | undefined => {
    if (node.type === "note") return by.get(node.data.of) ?? groupShift(at.get(node.data.of));
    return groupShift(node);
  };
  const groupShift = (node: FlowNode | undefined): Position | undefined => {
    if (node?.type !== "card") return undefined;
    const group = groupOf(node.data.node);
    return group ? by.get(frameKey(group)) : undefined;
  };
  return nodes.flatMap((node): NodeChange<FlowNode>[] => {
    const shift = own.has(node.id) ? undefined : shifts(node);
    if (!shift) return [];
    return [{ type: "position", id: node.id, position: { x: node.position.x + shift.x, y: node.position.y + shift.y } }];
  });
}

/** What was added or pasted is brought into sight. */
function useFollowing(frame: { readonly current: HTMLDivElement | null }): void {
  const { store } = useDesk();
  const flow = useReactFlow();
  const added = useEditor((state) => state.added);
  useEffect(() => {
    const size = frame.current?.getBoundingClientRect();
    const { document, places: given } = store.getState();
    const places = placesOf(document, given);
    const spots = added.flatMap((key) => places.get(key) ?? []);
    const view = size?.width && spots.length ? shownWhole(flow.getViewport(), size, around(spots)) : null;
    if (view) void flow.setViewport(view);
  }, [added, frame, flow, store]);
}

function useTheme(): "light" | "dark" {
  const read = (): "light" | "dark" => (document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light");
  const [theme, setTheme] = useState(read);
  useEffect(() => {
    const watch = new MutationObserver(() => setTheme(read()));
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-bs-theme"] });
    return () => watch.disconnect();
  }, []);
  return theme;
}
