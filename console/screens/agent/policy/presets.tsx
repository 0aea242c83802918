import type { Policy } from '../../../../clients/typescript/index.ts'
import '../../../ui/checks.css'

type Preset = Policy['preset']

const presets: Readonly<Record<Preset, string>> = {
  open: 'The agent may do everything; payments stay within its mandate.',
  guarded: 'You are asked before the agent writes, sends or pays.',
  locked: 'The agent cannot write, send or pay.',
}

/** The choice of the preset, which decides if no rule matches. */
export function Presets({ chosen, onChoose }: { chosen: Preset; onChoose(preset: Preset): void }) {
  return (
    <div class="card">
      <fieldset class="checks presets">
        <legend>
          <h2>Preset</h2>
        </legend>
        {(Object.keys(presets) as Preset[]).map((preset) => (
          <label key={preset}>
            <input
              type="radio"
              name="preset"
              value={preset}
              checked={preset === chosen}
              onChange={() => onChoose(preset)}
            />
            <span>
              <strong>{preset}</strong> {presets[preset]}
            </span>
          </label>
        ))}
      </fieldset>
    </div>
  )
}
