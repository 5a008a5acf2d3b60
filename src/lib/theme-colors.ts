import type { Theme } from './preferences.ts'

/** What the browser paints its own bars with: the ground of the head of every page, `sunken` of the tokens. */
export const THEME_COLORS = { light: '#f3f6f1', dark: '#0d100e' } as const

export const SCHEMES = ['light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

/** That colour for a reader whose system asks for this scheme. */
export const themeColor = (theme: Theme, scheme: Scheme): string =>
  THEME_COLORS[theme === 'system' ? scheme : theme]
