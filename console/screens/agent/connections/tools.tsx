import { useState } from 'preact/hooks'
import type { Connection } from '../../../../clients/typescript/index.ts'
import { plural } from '../../../base/words.ts'
import { Form } from '../../../ui/form.tsx'
import { agents } from '../client.ts'
import './connections.css'

interface ToolsProps {
  agentId: string
  connection: Connection
  onSaved(connection: Connection): void
}

/** The tools of a server as checkboxes. Names and descriptions are the server's texts. */
export function Tools({ agentId, connection: { name, tools }, onSaved }: ToolsProps) {
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [saved, setSaved] = useState('')
  const isOn = (tool: Connection['tools'][number]) => changed.get(tool.name) ?? tool.allowed
  const allow = tools.filter(isOn).map((tool) => tool.name)

  async function save() {
    onSaved(await agents.connections.update(agentId, name, { tools: { allow } }))
    setChanged(new Map())
    setSaved(`The agent may use ${plural(allow.length, 'tool')}.`)
  }

  return (
    <Form
      action="Save tools"
      onSend={save}
      aside={
        <span class="meta" role="status">
          {saved}
        </span>
      }
    >
      <fieldset class="checks tools">
        <legend>Tools of {name} that the agent may use</legend>
        {tools.map((tool) => (
          <div key={tool.name}>
            <label>
              <input
                type="checkbox"
                checked={isOn(tool)}
                onChange={({ currentTarget: { checked } }) => {
                  setSaved('')
                  setChanged(new Map(changed).set(tool.name, checked))
                }}
              />
              <code>{tool.name}</code>
            </label>
            {tool.description !== '' && <p class="meta">{tool.description}</p>}
          </div>
        ))}
      </fieldset>
      <p class="meta">
        The descriptions are the server’s own words. A tool that the server adds later is off.
      </p>
    </Form>
  )
}
