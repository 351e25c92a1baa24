import { describe, expect, it } from 'vitest';
import { configurations } from './explore/configurations.js';
import { type Findings, explore, lineOf } from './explore/explorer.js';

// The ordinary run goes to a fixed depth, so that two runs are the same; EXPLORE_SECONDS=600 goes as deep as ten minutes go.
const seconds = Number(process.env.EXPLORE_SECONDS ?? 0);
const share = (seconds * 1000) / configurations.length;

describe('every interleaving', () => {
  const found: Findings[] = [];

  it.each(configurations)(
    '$name',
    (configuration) => {
      const findings = explore(configuration, seconds > 0 ? { depth: Infinity, ms: share } : { depth: configuration.depth, ms: Infinity });
      found.push(findings);
      console.log(lineOf(findings));
      expect(findings.edges).toBeGreaterThan(findings.states);
      expect(findings.isComplete || seconds > 0 || findings.depth === configuration.depth).toBe(true);
    },
    Math.max(60_000, share * 3),
  );

  it('is summed up', () => {
    const sum = (of: (findings: Findings) => number) => found.reduce((total, findings) => total + of(findings), 0);
    expect(found).toHaveLength(configurations.length);
    console.log(`together: ${sum(({ states }) => states)} states, ${sum(({ edges }) => edges)} edges, ${found.filter(({ isComplete }) => isComplete).length} of ${found.length} complete`);
  });
});
