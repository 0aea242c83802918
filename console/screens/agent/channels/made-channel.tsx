import type { Channel } from '../../../../clients/typescript/index.ts'
import { CopiedField } from '../../../ui/copied-field.tsx'
import { ChannelAddress } from './channel-address.tsx'
import { kinds } from './kinds.ts'
import { Steps } from './steps.tsx'

/** A channel that was created, with the next steps, and its secret if the platform made one. */
export function MadeChannel({ channel }: { channel: Channel & { secret?: string | undefined } }) {
  const { kind, secret } = channel
  return (
    <section class="card stack" aria-label="The new channel">
      <Steps of={kinds[kind].after} />
      <ChannelAddress of={channel} />
      {secret !== undefined && <NewSecret secret={secret} />}
    </section>
  )
}

/** A secret that the platform made. */
export function NewSecret({ secret }: { secret: string }) {
  return (
    <>
      <p>Requests are signed with this secret. It is shown only once.</p>
      <CopiedField label="Signing secret" value={secret} action="Copy secret" />
    </>
  )
}
