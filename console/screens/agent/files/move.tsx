import { useState } from 'preact/hooks'
import type { AgentFileEntry } from '../../../../clients/typescript/index.ts'
import { PlatformError } from '../../../base/platform.ts'
import { visible } from '../../../base/visible.ts'
import { InputError } from '../../../base/words.ts'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { agents } from '../client.ts'
import { CloseButton, Opened } from './opened.tsx'

interface MoveProps {
  agentId: string
  entry: AgentFileEntry
  onChange(what: string): void
  onClose(): void
}

/** Renames or moves a file or folder. */
export function Move({ agentId, entry, onChange, onClose }: MoveProps) {
  /** An existing path. The next attempt replaces it. */
  const [taken, setTaken] = useState<string>()
  const [to, setTo] = useState(entry.path)

  async function move() {
    if (to === entry.path) throw new InputError('Enter another path.')
    try {
      await agents.files.move(agentId, { from: entry.path, to, overwrite: to === taken })
    } catch (error) {
      if (!(error instanceof PlatformError) || !/overwrite/.test(error.message)) throw error
      setTaken(to)
      throw new InputError('Something exists at this path. “Replace” deletes it.')
    }
    onChange(`Renamed to ${visible(to)}.`)
    onClose()
  }

  return (
    <Opened title={`Rename ${visible(entry.name)}`} onClose={onClose}>
      <Form
        action={to === taken ? 'Replace' : 'Rename'}
        onSend={move}
        aside={<CloseButton action="Cancel" />}
      >
        <Field
          label="New path"
          name="to"
          autocomplete="off"
          value={to}
          onInput={({ currentTarget }) => setTo(currentTarget.value)}
          hint="Relative to the agent’s workspace. Missing folders are created."
        />
      </Form>
    </Opened>
  )
}
