import type { ReactNode } from 'react'
import { Button, IconButton } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { Icon } from '#ui/icon.tsx'
import { ICON_NAMES } from '#ui/icon-names.ts'
import { Kbd } from '#ui/kbd.tsx'
import { Link } from '#ui/link.tsx'
import type { Specimen } from '../specimen.ts'

const KINDS = ['primary', 'secondary', 'quiet', 'danger'] as const
const SIZES = ['sm', 'md', 'lg'] as const

const Row = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-3">{children}</div>
)

export const buttons: Specimen = {
  name: 'Button',
  of: ['button.tsx', 'icon.tsx', 'kbd.tsx', 'link.tsx'],
  states: [
    {
      name: 'kinds and sizes',
      Show: () =>
        SIZES.map((size) => (
          <Row key={size}>
            {KINDS.map((kind) => (
              <Button key={kind} kind={kind} size={size}>
                {kind}
              </Button>
            ))}
          </Row>
        )),
    },
    {
      name: 'every icon',
      Show: () => (
        <Row>
          {ICON_NAMES.map((name) => (
            <Icon key={name} name={name} className="size-4" />
          ))}
        </Row>
      ),
    },
    {
      name: 'with a key and an icon',
      Show: () => (
        <Row>
          <Button kind="primary" keys="a">
            Approve
          </Button>
          <Button keys="mod+Enter">Save</Button>
          <Button icon={<Icon name="rotate-cw" className="size-4" />}>Retry</Button>
          <Kbd keys="g i" />
        </Row>
      ),
    },
    {
      name: 'busy, disabled, disabled with a reason',
      Show: () =>
        KINDS.map((kind) => (
          <Row key={kind}>
            <Button kind={kind} busy>
              Saving
            </Button>
            <Button kind={kind} disabled>
              Disabled
            </Button>
            <Button kind={kind} disabledReason="Only the owner can do this">
              Refused
            </Button>
          </Row>
        )),
    },
    {
      name: 'icons',
      Show: () => (
        <Row>
          <IconButton label="Delete">
            <Icon name="trash" />
          </IconButton>
          <IconButton label="Pinned" pressed>
            <Icon name="rotate-cw" />
          </IconButton>
          <IconButton label="Delete, refused" disabledReason="Only the owner can do this">
            <Icon name="trash" />
          </IconButton>
        </Row>
      ),
    },
    {
      name: 'links',
      Show: () => (
        <Row>
          <Link href="/design">A link</Link>
          <Link quiet href="/design">
            A quiet link
          </Link>
          <Link href="/design" className={buttonClass('primary')}>
            A link like a button
          </Link>
        </Row>
      ),
    },
  ],
}
