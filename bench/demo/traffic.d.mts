import type { Role } from './cast.mjs';
import type { Stage } from './stage.mjs';

export interface Call {
  readonly at: number;
  /** `hanging`: unanswered when the run ended. */
  outcome: 'ok' | 'failed' | 'refused' | 'hanging';
}

/** What happened to one host in the run. Times are milliseconds from the start. */
export interface Story {
  readonly role: Role;
  /** Those made through the breaker. */
  readonly calls: Call[];
  /** The same calls at the same moments, without a breaker. */
  readonly control: Call[];
  readonly transitions: { at: number; from: string; to: string; reason: string }[];
  /** When the server said that it went down and came back. */
  readonly outages: { at: number; up: boolean }[];
  /** Calls that were in flight, sampled. */
  readonly hanging: { at: number; hanging: number }[];
}

export function play(run: {
  library: object;
  roles: Role[];
  stage: Pick<Stage, 'origins' | 'begin'>;
  duration: number;
  eachSecond?: (second: number, stories: Story[], states: string[]) => void;
  isOver?: (stories: Story[]) => boolean;
}): Promise<Story[]>;
