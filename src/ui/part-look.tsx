import { useId } from 'react'

/** Looks of the parts of a picture that differ by pattern, so that they are told apart without colour, in print and in the dark. */
export type PartLook = 'outline' | 'solid' | 'hatched' | 'dotted' | 'crossed' | 'empty'

type Fill = { fill?: string; className: string }
const pattern = (look: PartLook, className: string) => (id: string) => ({
  fill: `url(#${id}-${look})`,
  className,
})

/** What a shape of this look is filled with; `id` is that of the `LookPatterns` of its picture. */
export const LOOK_FILL: Record<PartLook, (id: string) => Fill> = {
  outline: () => ({ className: 'fill-surface stroke-ink-2' }),
  solid: () => ({ className: 'fill-done-fill' }),
  hatched: pattern('hatched', 'stroke-failed-fill'),
  dotted: pattern('dotted', 'stroke-held-fill'),
  crossed: pattern('crossed', 'stroke-waiting-fill'),
  empty: () => ({ className: 'fill-none stroke-line-strong [stroke-dasharray:2_2]' }),
}

/** The patterns, once in a picture. */
export function LookPatterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}-hatched`} width="4" height="4" patternUnits="userSpaceOnUse">
        <rect width="4" height="4" className="fill-failed-soft" />
        <path d="M-1 5L5 -1M-1 1L1 -1M3 5L5 3" className="stroke-failed-fill" strokeWidth="1.3" />
      </pattern>
      <pattern id={`${id}-dotted`} width="4" height="4" patternUnits="userSpaceOnUse">
        <rect width="4" height="4" className="fill-held-soft" />
        <circle cx="2" cy="2" r="1" className="fill-held-fill" />
      </pattern>
      <pattern id={`${id}-crossed`} width="5" height="5" patternUnits="userSpaceOnUse">
        <rect width="5" height="5" className="fill-waiting-soft" />
        <path d="M0 2.5H5" className="stroke-waiting-fill" strokeWidth="1.5" />
      </pattern>
    </defs>
  )
}

type Part = { id: string; label: string; look: PartLook }

/** The looks of a picture, each beside its word. */
export function LookLegend({ parts }: { parts: readonly Part[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 text-xs text-ink-2">
      {parts.map(({ id, label, look }) => (
        <li key={id} className="inline-flex items-center gap-1.5">
          <LookSwatch look={look} />
          {label}
        </li>
      ))}
    </ul>
  )
}

function LookSwatch({ look }: { look: PartLook }) {
  const id = useId()
  return (
    <svg width="12" height="12" aria-hidden>
      <LookPatterns id={id} />
      <rect x="0.5" y="0.5" width="11" height="11" {...LOOK_FILL[look](id)} />
    </svg>
  )
}
