type Props = {
  /** What the code says in the reader's language; null for one that the console does not know. */
  sentence: string | null
  code: string
  /** What was reported, word for word. */
  message: string
}

/** An error in full: its sentence, below it the code and what was reported. */
export function CodedError({ sentence, code, message }: Props) {
  return (
    <>
      {sentence ? <p>{sentence}</p> : null}
      <p className="text-sm [overflow-wrap:anywhere]">
        <span className="font-mono">{code}</span> {message}
      </p>
    </>
  )
}

/** An error in one line: its sentence, with what was reported as the hint; an unknown code as it was reported. */
export function CodedErrorLine({ sentence, code, message, className }: Props & { className?: string }) {
  return (
    <span className={className} {...(sentence && message ? { 'data-tip': message } : {})}>
      {sentence ?? (message || code)}
    </span>
  )
}
