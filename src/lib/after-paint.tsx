'use client'
import { type ReactNode, startTransition, useEffect, useState } from 'react'
import { useHydrated } from './use-hydrated.ts'

/**
 * What stands below what is looked at first. Where one object follows another in the same place it is drawn once that one is painted, so that
 * a key is answered by what matters; what the server has drawn stays.
 */
export function AfterPaint({ children }: { children: ReactNode }) {
  const hydrated = useHydrated()
  const [isDrawn, setDrawn] = useState(!hydrated)
  useEffect(() => {
    if (isDrawn) return
    let timer: ReturnType<typeof setTimeout>
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setDrawn(true)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [isDrawn])
  return isDrawn ? children : null
}
