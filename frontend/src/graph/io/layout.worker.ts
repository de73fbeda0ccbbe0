// Lays a graph out off the page's own thread.

import { type LayoutQuestion, layered } from "../model/layered";

self.onmessage = ({ data }: MessageEvent<LayoutQuestion>) => {
  self.postMessage({ to: layered(data) });
};
