'use client'
import { type ComponentType, useEffect, useState } from 'react'

const AGAIN_MS = 5_000

/**
 * A component that shows nothing on the first paint: the server draws nothing of it, and its code is loaded once React has taken the page over. Where
 * it cannot be loaded it is asked for again, as long as the page stands.
 */
export function loadedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function LoadedLater(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(null)
    useEffect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined
      let isGone = false
      const attempt = () => {
        load().then(
          (part) => setPart(() => part),
          () => {
            if (!isGone) timer = setTimeout(attempt, AGAIN_MS)
          },
        )
      }
      attempt()
      return () => {
        isGone = true
        clearTimeout(timer)
      }
    }, [])
    return Part ? <Part {...props} /> : null
  }
}
