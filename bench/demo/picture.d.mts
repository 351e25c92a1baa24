import type { Story } from './traffic.mjs';

export function picture(stories: Story[], duration: number): string;
