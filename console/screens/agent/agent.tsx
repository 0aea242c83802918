import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { agentPath, lookAgainIn } from '../../app/agents.ts'
import { platform, PlatformError } from '../../app/platform.ts'
import { brand, NotFound } from '../../app/not-found.tsx'
import type { AgentDetail } from '../../app/shapes.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Head, Skeleton, State } from '../../ui/parts.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Controls } from './controls.tsx'
import { Overview } from './overview.tsx'
import type { TabProps } from './tab.ts'

type Load = () => Promise<{ default: ComponentType<TabProps> }>

const tabs: readonly { name: string; slug: string; load?: Load }[] = [
  { name: 'Overview', slug: '' },
  { name: 'Chat', slug: 'chat', load: () => import('./chat.tsx') },
  { name: 'Logs', slug: 'logs', load: () => import('./logs.tsx') },
  { name: 'Workspace', slug: 'workspace', load: () => import('./workspace.tsx') },
  { name: 'Schedules', slug: 'schedules', load: () => import('./schedules.tsx') },
  { name: 'Settings', slug: 'settings', load: () => import('./settings.tsx') },
]

/** `/agents/:id` and its tabs. */
export default function Agent({ id = '', tab = '' }: Record<string, string>) {
  const { data, error, reload } = useLoad(
    id,
    async (signal) =>
      (await platform.get<{ agent: AgentDetail }>(`/api/agents/${id}`, { signal })).agent,
    ({ status }) => lookAgainIn([status]),
  )
  const selected = tabs.findIndex(({ slug }) => slug === tab)
  const name = data?.name
  useEffect(() => {
    if (name !== undefined && selected >= 0)
      document.title = `${tabs[selected]?.name ?? ''} · ${name} · ${brand}`
  }, [name, selected])

  if (selected < 0 || (error instanceof PlatformError && error.status === 404)) return <NotFound />
  if (data === undefined) return error === undefined ? <Skeleton /> : <Fault error={error} />
  const { load } = tabs[selected] ?? {}
  return (
    <>
      <Head title={data.name} lead={<State of={data.status} />}>
        <Controls agent={data} reload={reload} />
      </Head>
      <Tabs
        label="Parts of the agent"
        selected={selected}
        tabs={tabs.map((each) => ({ name: each.name, to: agentPath(data.id, each.slug) }))}
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

function LazyTab({ load, ...props }: TabProps & { load: Load }) {
  const [loaded, setLoaded] = useState<{ Content: ComponentType<TabProps> }>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    load().then(({ default: Content }) => setLoaded({ Content }), setError)
  }, [load])
  if (error !== undefined) return <Fault error="This part could not be loaded. Reload the page." />
  return loaded === undefined ? <Skeleton /> : <loaded.Content {...props} />
}
