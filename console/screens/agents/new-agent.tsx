import { agentPath } from '../../base/agents.ts'
import { go } from '../../base/router.ts'
import { Head } from '../../ui/parts.tsx'
import { AgentForm } from './agent-form.tsx'

/** `/agents/new`. */
export default function NewAgent() {
  return (
    <>
      <Head title="New agent" lead="It starts at once and answers a few seconds later." />
      <AgentForm onCreated={(id) => go(agentPath(id), { replace: true })} />
    </>
  )
}
