import { useState } from 'preact/hooks'
import { platform } from '../../base/platform.ts'
import { Choice } from '../../ui/area.tsx'
import { Copy } from '../../ui/copy.tsx'
import { useLoad } from '../../ui/load.ts'
import { snippets } from './snippets.ts'

/**
 * Configurations for other programs, ready to copy.
 * @param made a key that was just created
 */
export function ConnectPrograms({ made }: { made: string | undefined }) {
  const { data } = useLoad('server', (signal) => platform.oauth.server({ signal }))
  const all = snippets(location.origin, { key: made, models: data?.models_base_url })
  const [name, setName] = useState(all[0]?.name)
  const chosen = all.find((each) => each.name === name) ?? all[0]
  if (chosen === undefined) return null
  return (
    <section class="card stack" aria-labelledby="connect-programs">
      <h2 id="connect-programs">Connect a program</h2>
      <Choice label="Program" value={chosen.name} hint={chosen.where} onChoose={setName}>
        {all.map((each) => (
          <option key={each.name} value={each.name}>
            {each.name}
          </option>
        ))}
      </Choice>
      <div class="snippet">
        <pre role="region" aria-label={`For ${chosen.name}`} tabIndex={0}>
          {chosen.text}
        </pre>
        <Copy key={chosen.text} text={chosen.text} label="Copy" />
      </div>
    </section>
  )
}
