import { useEffect, useRef } from 'react'

/**
 * The row that the keys go on from: the last of those that were asked for and are still to open, otherwise the open one. An address that is
 * late is one of them, and takes back nothing that was asked for after it; another one is somebody else's, and ends the walk.
 */
export function useGoing(openId: string | null) {
  const asked = useRef<string[]>([])
  useEffect(() => {
    const at = openId === null ? -1 : asked.current.indexOf(openId)
    asked.current = at < 0 ? [] : asked.current.slice(at + 1)
  }, [openId])
  return { from: () => asked.current.at(-1) ?? openId, to: (id: string) => void asked.current.push(id) }
}
