'use client'
import { useEffect, useRef } from 'react'
import { ScrollBox } from '#ui/scroll-box.tsx'

/** So near to its end a reader follows the output. */
const NEAR_PX = 16

/** The end of what a program has printed; it follows the output unless the reader has scrolled back. */
export function LiveTail({ label, text }: { label: string; text: string }) {
  const inner = useRef<HTMLPreElement>(null)
  const height = useRef(0)
  useEffect(() => {
    const box = inner.current?.parentElement
    if (!box || text === '') return
    const follows = height.current === 0 || box.scrollTop + box.clientHeight >= height.current - NEAR_PX
    if (follows) box.scrollTop = box.scrollHeight
    height.current = box.scrollHeight
  }, [text])
  return (
    <ScrollBox label={label} className="max-h-64 bg-sunken px-3 py-2">
      <pre ref={inner} className="whitespace-pre-wrap break-words font-mono text-sm leading-6">
        {text}
      </pre>
    </ScrollBox>
  )
}
