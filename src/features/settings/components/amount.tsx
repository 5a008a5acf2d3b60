import { Size } from '#ui/size.tsx'

/** How many, and how large they are together. */
export function Amount({ text, bytes }: { text: string; bytes: number }) {
  return bytes > 0 ? (
    <>
      {text} · <Size bytes={bytes} />
    </>
  ) : (
    text
  )
}
