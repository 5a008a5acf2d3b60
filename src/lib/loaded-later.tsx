'use client'
import { type ComponentType, useEffect, useState } from 'react'

/**
 * A component that shows nothing on the first paint: the server draws nothing of it, and its code is loaded once React has taken the page over. Where
 * it cannot be loaded the page does without it.
 */
export function loadedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function LoadedLater(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(null)
    useEffect(() => {
      load().then(
        (part) => setPart(() => part),
        () => undefined,
      )
    }, [])
    return Part ? <Part {...props} /> : null
  }
}
