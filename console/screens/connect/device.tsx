import { useState } from 'preact/hooks'
import type { OAuthDevice } from '../../../clients/typescript/index.ts'
import { platform, PlatformError } from '../../base/platform.ts'
import { go, query } from '../../base/router.ts'
import { InputError } from '../../base/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago, Head, Skeleton } from '../../ui/parts.tsx'
import { Decision } from './decision.tsx'
import './connect.css'

/** `/device`: authorizes a client on a device without a browser. */
export default function Device() {
  const code = query.value.get('user_code') ?? ''
  return (
    <>
      <Head title="Connect a device" />
      {code === '' ? <CodeForm code="" /> : <Asked key={code} code={code} />}
    </>
  )
}

function CodeForm({ code }: { code: string }) {
  return (
    <Form
      action="Continue"
      onSend={async ({ code: typed = '' }) => {
        if (typed.trim() === '') throw new InputError('Enter the code shown on the device.')
        go(`/device?user_code=${encodeURIComponent(typed.trim())}`)
      }}
    >
      <Field
        label="Code"
        name="code"
        autocomplete="off"
        placeholder="XXXX-XXXX"
        defaultValue={code}
        hint="Shown on the device or the command line."
      />
    </Form>
  )
}

function Asked({ code }: { code: string }) {
  const [decided, setDecided] = useState<boolean>()
  const { data, error } = useLoad(`device ${code}`, (signal) =>
    platform.oauth.getDevice({ user_code: code }, { signal }),
  )
  if (decided !== undefined)
    return (
      <p class="news" role="status">
        {decided
          ? 'Approved. Return to the device to continue. You can revoke the access under Account.'
          : 'Denied. The device has no access.'}
      </p>
    )
  if (error !== undefined)
    return (
      <>
        <Fault error={isUnknown(error) ? unknown : error} />
        <CodeForm code={code} />
      </>
    )
  if (data === undefined) return <Skeleton />
  return (
    <Decision
      clientName={data.clientName}
      scopes={data.scopes}
      onDecide={async (approve) => {
        try {
          await platform.oauth.decideDevice({ userCode: data.userCode, approve })
        } catch (error) {
          throw isUnknown(error) ? new InputError(unknown) : error
        }
        setDecided(approve)
      }}
    >
      <Facts {...data} />
      <p class="news">
        Approve only if you started this yourself and the device shows the same code.
      </p>
    </Decision>
  )
}

const unknown = 'Unknown or expired code. Check the code on the device, or start again there.'

function isUnknown(error: unknown): boolean {
  return error instanceof PlatformError && error.status === 404
}

function Facts({ userCode, host, address, createdAt, expiresAt }: OAuthDevice) {
  return (
    <dl class="facts card">
      <dt>Code</dt>
      <dd class="user-code">{userCode}</dd>
      <dt>Host</dt>
      <dd>{host ?? 'unknown'}</dd>
      <dt>Address</dt>
      <dd>{address}</dd>
      <dt>Requested</dt>
      <dd>
        <Ago at={createdAt} /> ({clock(createdAt)})
      </dd>
      <dt>Expires</dt>
      <dd>{clock(expiresAt)}</dd>
    </dl>
  )
}

function clock(iso: string): string {
  return new Date(iso).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}
