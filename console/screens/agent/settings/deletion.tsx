import { platform } from '../../../base/platform.ts'
import { go } from '../../../base/router.ts'
import { InputError } from '../../../base/words.ts'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import type { TabProps } from '../tab.ts'

/** Deletes an agent. The user must type its name, because its messages and memory are deleted too. */
export function Deletion({ agent }: Pick<TabProps, 'agent'>) {
  async function remove({ confirmation = '' }: Record<string, string>) {
    if (confirmation.trim() !== agent.name.trim())
      throw new InputError('This does not match the agent’s name.')
    await platform.agents.delete(agent.id)
    go('/agents', { replace: true })
  }

  return (
    <section class="card stack" aria-labelledby="deletion">
      <h2 id="deletion">Delete this agent</h2>
      <p class="meta">
        This deletes the agent with its conversations, memory, skills, schedules and files. A
        restore point is kept for seven days.
      </p>
      <Form action="Delete agent" onSend={remove} danger>
        <Field label={`Type ${agent.name} to confirm`} name="confirmation" autocomplete="off" />
      </Form>
    </section>
  )
}
