import { useState } from 'react'
import type { Filters } from '#lib/url-state.ts'
import { buttonClass } from '#ui/button-class.ts'
import { Icon } from '#ui/icon.tsx'
import { LinkFilters } from '#ui/link-filters.tsx'
import { Menu, type MenuItem } from '#ui/menu.tsx'
import { type ObjectCommand, ObjectMenu } from '#ui/object-menu.tsx'
import { Popover } from '#ui/popover.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { Tree } from '#ui/tree.tsx'
import type { Specimen } from '../specimen.ts'

const nothing = () => undefined
const ITEMS: readonly MenuItem[] = [
  { id: 'first', heading: 'This sample' },
  { id: 'copy', label: 'Copy link', run: nothing },
  { id: 'dense', label: 'Compact rows', run: nothing, checked: true },
  { id: 'refused', label: 'Archive', run: nothing, disabledReason: 'Only the owner can do this' },
  { id: 'delete', label: 'Delete', run: nothing, tone: 'danger', icon: <Icon name="trash" /> },
]
const COMMANDS: readonly ObjectCommand[] = [
  { id: 'drain', label: 'Drain', run: nothing },
  { id: 'reset', label: 'Reset breaker', run: nothing, disabledReason: 'The breaker is closed' },
  { id: 'remove', label: 'Remove', run: nothing, tone: 'danger' },
]
const FILTERS: Filters = {
  values: { worker: 'orange', context: `garden ${'and its neighbours '.repeat(8)}` },
  ...{ set: nothing, settle: nothing, clear: nothing, active: true, scope: '' },
}
const TABS = [
  { id: 'list', label: 'List', count: 12 },
  { id: 'failures', label: 'Failures' },
  { id: 'other', label: 'A third tab' },
]

function Tabbed() {
  const [tab, setTab] = useState('list')
  return (
    <Tabs label="Views of a sample" tabs={TABS} value={tab} onChange={setTab}>
      <p>Panel of “{tab}”.</p>
    </Tabs>
  )
}

function Opened() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  return (
    <div>
      <button
        type="button"
        className={buttonClass('secondary')}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        Source 1
      </button>
      {anchor ? (
        <Popover anchor={anchor} title="Source 1" onClose={() => setAnchor(null)}>
          <p>Beans climb the sunflower and rest in its shade.</p>
        </Popover>
      ) : null}
    </div>
  )
}

const NODES = [
  {
    id: 'beds',
    label: 'Beds',
    href: '/design',
    count: 2,
    children: [
      { id: 'north', label: `North bed ${'and its neighbours '.repeat(8)}`, href: '/design' },
      { id: 'seeds', label: 'Seeds', href: '/design', count: 0, children: [] },
    ],
  },
  { id: 'index', label: 'Index', href: '/design' },
]

function Branches() {
  const [open, setOpen] = useState(new Set(['beds']))
  const toggle = (ids: readonly string[], isOpen: boolean) =>
    setOpen(new Set([...open].filter((id) => !ids.includes(id)).concat(isOpen ? ids : [])))
  return <Tree label="Notes of a sample" nodes={NODES} open={open} onToggle={toggle} current="north" />
}

export const menus: Specimen = {
  name: 'Menu, popover, tabs, tree and filters of a link',
  of: ['menu.tsx', 'object-menu.tsx', 'popover.tsx', 'tabs.tsx', 'tree.tsx', 'link-filters.tsx'],
  states: [
    {
      name: 'menu',
      press: true,
      Show: () => (
        <div>
          <Menu label="More actions" className={buttonClass('secondary')} items={ITEMS}>
            <Icon name="ellipsis" className="size-4" />
          </Menu>
        </div>
      ),
    },
    {
      name: 'menu of an object',
      press: true,
      Show: () => <ObjectMenu label="Actions of a sample" items={COMMANDS} palette={null} />,
    },
    { name: 'popover', press: true, Show: Opened },
    { name: 'tabs', Show: Tabbed },
    { name: 'tree', Show: Branches },
    {
      name: 'filters of a link',
      Show: () => (
        <LinkFilters
          filters={FILTERS}
          labels={{ worker: 'Worker', context: 'Context' }}
          show={(_, value) => value}
        />
      ),
    },
  ],
}
