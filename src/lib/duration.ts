/** Durations as people read them: at most two units, tabular, in the reader's language. Pure. */
const UNITS = {
  en: { d: 'd', h: 'h', m: 'm', s: 's', ms: 'ms' },
  uk: { d: 'д', h: 'год', m: 'хв', s: 'с', ms: 'мс' },
} as const

/** `ms` as "940 ms", "12 s", "3 m 05 s", "2 h 10 m", "4 d 3 h". Negative counts as zero; below a second only when asked. */
export function formatDuration(ms: number, locale: 'en' | 'uk', precise = false): string {
  const u = UNITS[locale]
  const whole = Math.max(0, ms)
  if (precise && whole < 1_000) return `${Math.round(whole)} ${u.ms}`
  const s = Math.floor(whole / 1_000)
  if (precise && s < 10) return `${decimal(whole / 1_000, locale)} ${u.s}`
  if (s < 60) return `${s} ${u.s}`
  if (s < 3_600) return `${Math.floor(s / 60)} ${u.m} ${pad(s % 60)} ${u.s}`
  if (s < 86_400) return `${Math.floor(s / 3_600)} ${u.h} ${pad(Math.floor((s % 3_600) / 60))} ${u.m}`
  return `${Math.floor(s / 86_400)} ${u.d} ${Math.floor((s % 86_400) / 3_600)} ${u.h}`
}

const pad = (n: number) => String(n).padStart(2, '0')
const decimal = (n: number, locale: string) =>
  (Math.floor(n * 10) / 10).toFixed(1).replace('.', locale === 'uk' ? ',' : '.')
