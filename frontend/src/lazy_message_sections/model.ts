// Which sections of messages are loaded: those that come near and stay there. One that is only flung
// past is not: to take in fifty messages costs a frame or more, and nobody would read them.

export const STAYS_MS = 90;

export class Loading<T> {
  private readonly near = new Map<T, ReturnType<typeof setTimeout>>();
  private readonly loaded = new Set<T>();

  constructor(private readonly load: (section: T) => void) {}

  look(section: T, isNear: boolean): void {
    if (!isNear) {
      clearTimeout(this.near.get(section));
      this.near.delete(section);
    } else if (!this.near.has(section) && !this.loaded.has(section)) {
      this.near.set(section, setTimeout(() => this.loadNow(section), STAYS_MS));
    }
  }

  private loadNow(section: T): void {
    this.near.delete(section);
    this.loaded.add(section);
    this.load(section);
  }
}
