import type { Role } from './cast.mjs';

export interface Stage {
  readonly origins: string[];
  begin(listener: (message: { host: string; up: boolean; at: number }) => void): void;
  close(): Promise<void>;
}
export function openStage(roles: Role[]): Promise<Stage>;
