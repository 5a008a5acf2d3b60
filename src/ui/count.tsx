'use client'
import { useFormatter } from 'use-intl/react'

/** A number as the reader's language groups it, its digits below each other in a column. */
export function Count({ value }: { value: number }) {
  return <span className="tabular">{useFormatter().number(value)}</span>
}
