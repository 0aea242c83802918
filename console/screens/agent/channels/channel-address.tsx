import type { Channel } from '../../../../clients/typescript/index.ts'
import { CopiedField } from '../../../ui/copied-field.tsx'

/** The address of a channel, which its service or its senders need. */
export function ChannelAddress({ of: { receiveUrl, settings, kind } }: { of: Channel }) {
  const isEmail = kind === 'email'
  const address = isEmail ? settings['address'] : receiveUrl
  // The platform registers the address of a bot itself.
  if (kind === 'telegram' || !address) return null
  return (
    <CopiedField
      label={isEmail ? 'Email address' : 'Address for requests'}
      value={address}
      action="Copy address"
    />
  )
}
