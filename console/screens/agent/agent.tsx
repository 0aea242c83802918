import { useEffect } from 'preact/hooks'
import { agentPath, pollInterval } from '../../base/agents.ts'
import { platform, PlatformError } from '../../base/platform.ts'
import { Fault } from '../../ui/fault.tsx'
import { type Load, useLazy } from '../../ui/lazy.ts'
import { useLoad } from '../../ui/load.ts'
import { brand, NotFound } from '../../ui/not-found.tsx'
import { Head, Skeleton, State } from '../../ui/parts.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Controls } from './controls.tsx'
import { Overview } from './overview.tsx'
import type { TabProps } from './tab.ts'
import { tabs } from './tabs.ts'

/** `/agents/:id` and its tabs. */
export default function Agent({ id = '', tab = '' }: Record<string, string>) {
  const { data, error, reload } = useLoad(
    id,
    (signal) => platform.agents.get(id, { signal }),
    ({ status }) => pollInterval([status]),
  )
  const selected = tabs.findIndex(({ slug }) => slug === tab)
  const name = data?.name
  useEffect(() => {
    if (name !== undefined && selected >= 0) document.title = `${nameOf(tab)} · ${name} · ${brand}`
  }, [name, selected, tab])

  const { load } = tabs[selected] ?? {}
  useEffect(() => {
    // Loaded in parallel with the agent. The part that needs it shows an error.
    load?.().catch(() => undefined)
  }, [load])

  if (selected < 0 || (error instanceof PlatformError && error.status === 404)) return <NotFound />
  if (data === undefined) return error === undefined ? <Skeleton /> : <Fault error={error} />
  return (
    <>
      <Head title={data.name} lead={<State of={data.status} />}>
        <Controls agent={data} reload={reload} />
      </Head>
      <Tabs
        label="Agent sections"
        selected={selected}
        tabs={tabs.map(({ slug }) => ({ name: nameOf(slug), to: agentPath(data.id, slug) }))}
      >
        {load === undefined ? (
          <Overview agent={data} reload={reload} />
        ) : (
          <LazyTab key={tab} load={load} agent={data} reload={reload} />
        )}
      </Tabs>
    </>
  )
}

/** Returns the name of a tab. The frame has only the slugs, because every page loads them. */
function nameOf(slug: string): string {
  return slug === '' ? 'Overview' : slug.charAt(0).toUpperCase() + slug.slice(1)
}

function LazyTab({ load, ...props }: TabProps & { load: Load<TabProps> }) {
  const { Content, error } = useLazy(load)
  if (error !== undefined) return <Fault error={error} />
  return Content === undefined ? <Skeleton /> : <Content {...props} />
}
