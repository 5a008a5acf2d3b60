import { cx } from './cx.ts'

type Line = { n: number; text: string; cited: boolean }

/** Lines of a file with their numbers; those that are cited stand out. */
export function FileLines({ lines }: { lines: readonly Line[] }) {
  return (
    <ol className="relative overflow-x-auto rounded bg-sunken py-2 font-mono text-sm leading-relaxed">
      {lines.map((line) => (
        <li key={line.n} className={cx('flex gap-4 px-3', line.cited && 'bg-accent-soft')}>
          <span className="tabular w-10 shrink-0 select-none text-right text-ink-3">{line.n}</span>
          <span className="min-w-0 whitespace-pre-wrap break-words">{line.text}</span>
        </li>
      ))}
    </ol>
  )
}
