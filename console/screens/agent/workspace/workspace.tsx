import { agentPath } from '../../../base/agents.ts'
import { go, query } from '../../../base/router.ts'
import { Segments } from '../../../ui/segments.tsx'
import type { TabProps } from '../tab.ts'
import { BrokerCredentials } from './broker-credentials.tsx'
import { Credentials } from './credentials.tsx'
import { Memory } from './memory.tsx'
import { Skills } from './skills.tsx'
import { Snapshots } from './snapshots.tsx'

const parts = [
  { value: 'memory', label: 'Memory' },
  { value: 'skills', label: 'Skills' },
  { value: 'credentials', label: 'Credentials' },
  { value: 'snapshots', label: 'Restore points' },
] as const

type Part = (typeof parts)[number]['value']

/** Memory, skills, credentials and restore points of an agent. The URL names the current one. */
export default function Workspace({ agent, reload }: TabProps) {
  const shown = parts.find(({ value }) => value === query.value.get('show'))?.value ?? 'memory'

  function choose(part: Part) {
    const search = part === 'memory' ? '' : `?show=${part}`
    go(`${agentPath(agent.id, 'workspace')}${search}`, { replace: true })
  }

  return (
    <div class="stack">
      <Segments
        label="Workspace section"
        name="part"
        options={parts}
        chosen={shown}
        onChoose={choose}
      />
      {shown === 'memory' && <Memory agent={agent} />}
      {shown === 'skills' && <Skills agent={agent} />}
      {shown === 'credentials' && (
        <>
          <BrokerCredentials agentId={agent.id} />
          <Credentials agentId={agent.id} />
        </>
      )}
      {shown === 'snapshots' && <Snapshots agent={agent} reload={reload} />}
    </div>
  )
}
