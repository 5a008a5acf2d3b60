'use client'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AddedNode } from '#contracts/node.contract.ts'
import { Button } from '#ui/button.tsx'
import { ScrollBox } from '#ui/scroll-box.tsx'

const JOIN_COMMAND = 'membridge join --check'
const PACK_COMMAND = 'npm run edge:pack'

type Props = { of: AddedNode; copied: boolean; onCopied: () => void }

/** What a person does on the node, step by step, with the text to paste, and what this installation lacks for nodes elsewhere. */
export function JoinText({ of, copied, onCopied }: Props) {
  const t = useTranslations('nodes')
  return (
    <>
      <Limits of={of} />
      <ol className="grid gap-4">
        <Step n={1} title={t('stepArchive')}>
          <p className="text-sm text-ink-2">{t('stepArchiveText', { command: PACK_COMMAND })}</p>
        </Step>
        <Step n={2} title={t('stepJoin')}>
          <Copyable text={JOIN_COMMAND} label={t('copyCommand')} name={t('stepJoin')} />
        </Step>
        <Step n={3} title={t('stepPaste')}>
          <Copyable
            text={of.config}
            label={t('copyText')}
            name={t('configText')}
            primary={!copied}
            onCopied={onCopied}
          />
          {of.store.kind === 's3' ? <p className="mt-2 text-sm text-ink-2">{t('stepKeys')}</p> : null}
        </Step>
      </ol>
    </>
  )
}

function Limits({ of: { store, server } }: { of: AddedNode }) {
  const t = useTranslations('nodes')
  const limits = [
    store.kind === 'folder' ? t('stepFolder') : store.reach === 'machine' ? t('storeHere') : null,
    // Where only nodes of this machine can sync, that they alone reach the control plane is no news.
    server.reach === 'machine' && store.kind === 's3' ? t('serverHere', { url: server.url }) : null,
    server.reach === 'clear' ? t('serverClear', { url: server.url }) : null,
  ].filter((text) => text !== null)
  if (limits.length === 0) return null
  return (
    <ul className="mb-4 grid gap-2 border-l-2 border-waiting pl-3 text-sm text-ink-2">
      {limits.map((text) => (
        <li key={text} className="break-words">
          {text}
        </li>
      ))}
    </ul>
  )
}

function Step({ n, title, children }: { n: number; title: string; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2">
      <span className="tabular text-ink-3" aria-hidden>
        {n}.
      </span>
      <div className="min-w-0">
        <p className="mb-1.5 font-medium">{title}</p>
        {children}
      </div>
    </li>
  )
}

type CopyableProps = { text: string; label: string; name: string; primary?: boolean; onCopied?: () => void }

/** Without a clipboard (plain HTTP on the network) the text is selected, to be copied by hand. */
function Copyable({ text, label, name, primary = false, onCopied }: CopyableProps) {
  const t = useTranslations('nodes')
  const shown = useRef<HTMLPreElement>(null)
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    if (shown.current) window.getSelection()?.selectAllChildren(shown.current)
    const done = () => {
      setCopied(true)
      onCopied?.()
    }
    await navigator.clipboard?.writeText(text).then(done, () => undefined)
  }
  return (
    <>
      <ScrollBox label={name} className="border border-line bg-hover px-3 py-2">
        <pre ref={shown} className="w-max select-all font-mono text-sm">
          {text.trimEnd()}
        </pre>
      </ScrollBox>
      <div className="mt-2 flex items-center gap-3">
        <Button size="sm" kind={primary ? 'primary' : 'secondary'} onClick={() => void copy()}>
          {label}
        </Button>
        <span role="status" className="text-sm text-done">
          {copied ? t('copied') : ''}
        </span>
      </div>
    </>
  )
}
