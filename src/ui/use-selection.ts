'use client'
import { useState } from 'react'
import type { Selection } from './data-table.tsx'

const NONE: ReadonlySet<string> = new Set()

/** The selected rows of one list; another `scope` is another list, and begins with none selected. */
export function useSelection(scope: string): Selection {
  const [kept, setKept] = useState({ scope, ids: NONE })
  return {
    ids: kept.scope === scope ? kept.ids : NONE,
    onChange: (ids) => setKept({ scope, ids }),
  }
}
