import { themeColor } from './theme-colors.ts'

/**
 * What the reader chose and the server must know before the first paint: language, theme, density, zone, folders beside notes. Cookies, because
 * the first HTML already follows them; none holds a secret.
 */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]
export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

export type PreferenceName = 'locale' | 'theme' | 'density' | 'timezone' | 'folders'

const YEAR = 31_536_000

/** The cookie line for a preference; `value` is percent-encoded. */
export function preferenceCookie(name: PreferenceName, value: string): string {
  return `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${YEAR}; SameSite=Lax`
}

/** Remembers a choice; it shows with the next request of the page. */
export function writePreference(name: PreferenceName, value: string): void {
  // The Cookie Store API exists in secure contexts only; a console on the LAN may be plain HTTP.
  Reflect.set(document, 'cookie', preferenceCookie(name, value))
}

/** Shows a theme or a density at once, without a reload. */
export function applyToDocument(name: 'theme' | 'density', value: string): void {
  const root = document.documentElement
  if (value === 'system' || value === 'comfortable') delete root.dataset[name]
  else root.dataset[name] = value
  if (name === 'theme') paintBars(value as Theme)
}

/** The browser's own bars follow the theme. */
function paintBars(theme: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]'))
    meta.content = themeColor(theme, meta.media.includes('dark') ? 'dark' : 'light')
}

const one = <T extends string>(all: readonly T[], value: string | undefined): T =>
  all.includes(value as T) ? (value as T) : (all[0] as T)

export const readTheme = (value: string | undefined): Theme => one(THEMES, value)
export const readDensity = (value: string | undefined): Density => one(DENSITIES, value)

/** Whether the folders stand beside the notes where there is room; they do until the reader hides them. */
export const readFolders = (value: string | undefined): boolean => value !== 'hidden'

/** A zone name the runtime knows, else UTC: a cookie is the reader's to write. */
export function readTimeZone(value: string | undefined): string {
  if (!value) return 'UTC'
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}
