'use client'
import { useFormatter } from 'use-intl/react'

/** A number of bytes in the unit that fits, with the exact number on hover. */
export function Size({ bytes }: { bytes: number }) {
  const format = useFormatter()
  const exact = format.number(bytes, { style: 'unit', unit: 'byte', unitDisplay: 'long' })
  if (bytes < 1_000) return <span className="tabular">{exact}</span>
  const [unit, factor] = UNITS.find(([, bound]) => bytes < bound * 1_000) ?? UNITS[2]
  const shown = format.number(bytes / factor, { style: 'unit', unit, maximumFractionDigits: 1 })
  return (
    <span className="tabular" data-tip={exact}>
      {shown}
    </span>
  )
}

const UNITS = [
  ['kilobyte', 1_000],
  ['megabyte', 1_000_000],
  ['gigabyte', 1_000_000_000],
] as const
