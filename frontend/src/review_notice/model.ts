// Whether a review began to wait since the page was loaded.

export class Reviews {
  private seen: string | null = null; // what began to wait last, as the first answer said it

  /** `since` is when the newest review began to wait, "" for none; true if the page should say so. */
  hear(since: string): boolean {
    const isNew = this.seen !== null && since > this.seen;
    if (this.seen === null || isNew) this.seen = since;
    return isNew;
  }
}
