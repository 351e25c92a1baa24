import type { Story } from './traffic.mjs';

export interface Figures {
  readonly calls: number;
  readonly ok: number;
  readonly failed: number;
  readonly refused: number;
  readonly hanging: number;
  readonly toTrip: number | undefined;
  readonly toRecover: number | undefined;
  readonly failedWithout: number | undefined;
}
export function figures(story: Story): Figures;
export function tables(stories: Story[]): string;
export function seconds(ms: number | undefined): string;
export function whole(n: number | undefined): string;
