'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AddedNode } from '#contracts/node.contract.ts'
import { Copyable } from '#ui/copyable.tsx'

const PACK = 'npm run edge:pack'
const UNPACK = `mkdir -p ~/.local/share ~/.local/bin
tar -xzf membridge-*.tar.gz -C ~/.local/share
ln -sfn ~/.local/share/membridge-*/bin/membridge ~/.local/bin/
export PATH="$HOME/.local/bin:$PATH"`
const JOIN = 'membridge join --check'
const BEHIND_PROXY = 'TRUSTED_PROXIES=127.0.0.1'
const WITHOUT_TLS = `MEMBRIDGE_AGENT_HOST=0.0.0.0
ALLOW_INSECURE_LAN=1`
const START = `mkdir -p ~/.config/systemd/user
membridge service systemd >~/.config/systemd/user/membridge-agent.service
systemctl --user daemon-reload && systemctl --user enable --now membridge-agent
loginctl enable-linger
membridge hooks install --write
membridge doctor`
const OPENRC = 'membridge service openrc'
const CONFIG_FILE = '~/.claude-mem-minio/config.env'
const LOCAL_AGENT = 'http://127.0.0.1:8001'

type Props = { of: AddedNode; copied: boolean; onCopied: () => void }

/** What a person does on the node, step by step, with the text to paste, and what this installation lacks for nodes elsewhere. */
export function JoinText({ of, copied, onCopied }: Props) {
  const t = useTranslations('nodes')
  return (
    <>
      <Limits of={of} />
      <ol className="grid gap-4">
        <Step n={1} title={t('stepArchive')}>
          <Text>{t('stepArchiveText', { command: PACK })}</Text>
          <Copyable text={UNPACK} label={t('copyCommands')} name={t('stepArchive')} />
        </Step>
        <Step n={2} title={t('stepJoin')}>
          <Copyable text={JOIN} label={t('copyCommand')} name={t('stepJoin')} />
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
        <Step n={4} title={t('stepReach')}>
          <Reach of={of} />
        </Step>
        <Step n={5} title={t('stepStart')}>
          <Copyable text={START} label={t('copyCommands')} name={t('stepStart')} />
          <p className="mt-2 text-sm text-ink-2">{t('stepStartText', { command: OPENRC })}</p>
        </Step>
        <Step n={6} title={t('stepRegister')}>
          <Text>{t('stepRegisterText', { node: of.node_id })}</Text>
        </Step>
      </ol>
    </>
  )
}

const Text = ({ children }: { children: ReactNode }) => <p className="mb-2 text-sm text-ink-2">{children}</p>

/** What the node's settings lack for the calls of this server; a node of this machine lacks nothing. */
function Reach({ of: { server } }: { of: AddedNode }) {
  const t = useTranslations('nodes')
  if (server.reach === 'machine') return <Text>{t('reachHere', { url: LOCAL_AGENT })}</Text>
  return (
    <>
      <Text>{t('reachText', { file: CONFIG_FILE })}</Text>
      <Copyable text={BEHIND_PROXY} label={t('copyLines')} name={t('reachProxy')} />
      <p className="mt-3 mb-2 text-sm text-ink-2">{t('reachClear')}</p>
      <Copyable text={WITHOUT_TLS} label={t('copyLines')} name={t('reachClear')} />
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
