import { signal } from '@preact/signals'
import { Copy } from '../../ui/copy.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { Operation } from './data.ts'

type Language = 'curl' | 'command' | 'typescript'

/** Shared by all operations. */
const chosen = signal<Language>('curl')

const client = `import { Platform } from 'agent-platform-client'

const platform = new Platform()`

/** Shows the request for curl, the CLI and TypeScript. Names in capitals are placeholders. */
export function Examples({ operation }: { operation: Operation }) {
  const { curl, command, call } = operation
  const texts = [
    { value: 'curl', label: 'curl', text: curl },
    { value: 'command', label: 'CLI', text: command },
    { value: 'typescript', label: 'TypeScript', text: call && `${client}\n${call}` },
  ] as const
  const options = texts.filter(({ text }) => text !== undefined)
  const shown = options.find(({ value }) => value === chosen.value) ?? texts[0]
  return (
    <section>
      <h2>Examples</h2>
      <figure class="code">
        <figcaption>
          {options.length > 1 ? (
            <Segments
              label="Language"
              name="language"
              options={options}
              chosen={shown.value}
              onChoose={(value) => {
                chosen.value = value
              }}
            />
          ) : (
            <span>{shown.label}</span>
          )}
          <Copy key={shown.value} text={shown.text ?? ''} label="Copy" />
        </figcaption>
        <div class="scrolled" tabIndex={0} role="region" aria-label="Example">
          <pre>
            <code>{shown.text}</code>
          </pre>
        </div>
      </figure>
    </section>
  )
}
