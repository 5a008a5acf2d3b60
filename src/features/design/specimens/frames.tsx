import { Button } from '#ui/button.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { SplitPane } from '#ui/split-pane.tsx'
import type { Specimen } from '../specimen.ts'

export const frames: Specimen = {
  name: 'Parts of a page',
  of: ['page.tsx', 'page-header.tsx', 'section.tsx', 'split-pane.tsx', 'tooltip-layer.tsx'],
  states: [
    {
      name: 'head and section',
      Show: () => (
        <Page>
          <PageHeader
            above="Work"
            title="Jobs"
            sentence="2 jobs are running, 1 waits."
            action={<Button kind="primary">Run agent</Button>}
          />
          <Section title="History" hint="Oldest first" actions={<Button size="sm">Export</Button>}>
            <p>What happened, line by line.</p>
          </Section>
        </Page>
      ),
    },
    {
      name: 'list and detail',
      Show: () => (
        <SplitPane
          listHref="/design"
          detailLabel="A sample"
          list={<p>The list.</p>}
          detail={<p>What is open beside it.</p>}
        />
      ),
    },
    { name: 'tip', Show: () => <Button data-tip="It repeats what is on the page">Point here</Button> },
  ],
}
