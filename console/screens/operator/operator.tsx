import { path } from '../../base/router.ts'
import { user } from '../../base/session.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { Head } from '../../ui/parts.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Fleet } from './fleet.tsx'
import { PlatformOverview } from './platform.tsx'

const tabs = [
  { name: 'Fleet', to: '/operator/fleet', Content: Fleet },
  { name: 'Platform', to: '/operator/platform', Content: PlatformOverview },
] as const

/** `/operator/*`, for administrators; other users get the not-found page. The audit records each view, so these pages do not poll. */
export default function Operator() {
  if (user.value?.isAdmin !== true) return <NotFound />
  const selected = Math.max(
    0,
    tabs.findIndex(({ to }) => to === path.value),
  )
  const Content = (tabs[selected] ?? tabs[0]).Content
  return (
    <>
      <Head title="Operator" lead="The whole platform. Each view is recorded in your audit log." />
      <Tabs label="Platform sections" tabs={tabs} selected={selected}>
        <Content />
      </Tabs>
    </>
  )
}
