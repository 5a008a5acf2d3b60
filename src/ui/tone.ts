import type { Tone } from '#lib/toasts.ts'
import type { IconName } from './icon-names.ts'

/** The six meanings of colour. A status always carries an icon and a word besides. */
export type { Tone }

export const TONE_ICON: Record<Tone, IconName> = {
  waiting: 'clock',
  working: 'circle-dot',
  done: 'check',
  failed: 'triangle-exclamation-point',
  dead: 'hand',
  held: 'circle-dashed',
}

export const TONE_TEXT: Record<Tone, string> = {
  waiting: 'text-waiting',
  working: 'text-working',
  done: 'text-done',
  failed: 'text-failed',
  dead: 'text-dead',
  held: 'text-held',
}

export const TONE_SOFT: Record<Tone, string> = {
  waiting: 'bg-waiting-soft text-waiting',
  working: 'bg-working-soft text-working',
  done: 'bg-done-soft text-done',
  failed: 'bg-failed-soft text-failed',
  dead: 'bg-dead-soft text-dead',
  held: 'bg-held-soft text-held',
}

export const TONE_FILL: Record<Tone, string> = {
  waiting: 'fill-waiting-fill',
  working: 'fill-working-fill',
  done: 'fill-done-fill',
  failed: 'fill-failed-fill',
  dead: 'fill-dead-fill',
  held: 'fill-held-fill',
}

export const TONE_EDGE: Record<Tone, string> = {
  waiting: 'border-waiting',
  working: 'border-working',
  done: 'border-done',
  failed: 'border-failed',
  dead: 'border-dead',
  held: 'border-held',
}

export const TONE_STROKE: Record<Tone, string> = {
  waiting: 'stroke-waiting-fill',
  working: 'stroke-working-fill',
  done: 'stroke-done-fill',
  failed: 'stroke-failed-fill',
  dead: 'stroke-dead-fill',
  held: 'stroke-held-fill',
}

export const TONE_SOFT_FILL: Record<Tone, string> = {
  waiting: 'fill-waiting-soft',
  working: 'fill-working-soft',
  done: 'fill-done-soft',
  failed: 'fill-failed-soft',
  dead: 'fill-dead-soft',
  held: 'fill-held-soft',
}
