import { useEffect, useRef, useState } from 'preact/hooks'
import { Area, Choice } from '../../ui/area.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type Operation, type Parameter, reference } from './data.ts'
import { idempotencyKey, type Received, send, Unfit } from './send.ts'
import { loadSession, signedIn, signInPath } from './session.ts'

/** A form that sends the operation to the platform, with the browser's session or with a key. */
export function TryIt({ operation }: { operation: Operation }) {
  const { method, parameters, body, sample } = operation
  const [received, setReceived] = useState<Received>()
  const [fault, setFault] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const fields = parameters.filter(({ name }) => name !== idempotencyKey)

  async function submit(form: HTMLFormElement) {
    const formData = new FormData(form)
    const controller = new AbortController()
    running.current = controller
    setIsBusy(true)
    setFault(undefined)
    setReceived(undefined)
    const text = (name: string) => {
      const value = formData.get(name)
      return typeof value === 'string' ? value : ''
    }
    const file = formData.get('file')
    const filled = {
      values: Object.fromEntries(fields.map(({ name }) => [name, text(`parameter ${name}`)])),
      body: body === undefined ? undefined : file instanceof File ? file : text('body'),
      bearer: text('bearer').trim(),
    }
    let status = 0
    try {
      await send(operation, filled, controller.signal, (answer) => {
        ;({ status } = answer)
        setReceived(answer)
      })
      if (status === 401 && filled.bearer === '') await loadSession()
    } catch (error) {
      if (!controller.signal.aborted) setFault(wordsOf(error))
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <section class="try">
      <h2>Try it</h2>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy) void submit(event.currentTarget)
        }}
      >
        <Access operation={operation} />
        {fields.map((parameter) => (
          <ParameterField key={`${parameter.in} ${parameter.name}`} {...parameter} />
        ))}
        {body !== undefined && (
          <BodyField types={Object.keys(body.content)} sample={sample ?? ''} />
        )}
        <div class="form-end">
          <p class="hint">{method === 'GET' ? '' : 'This changes real data.'}</p>
          {isBusy ? (
            <button type="button" class="button" onClick={() => running.current?.abort()}>
              <Icon name="stop" />
              Stop
            </button>
          ) : (
            <button type="submit" class="button primary">
              <Icon name="play" />
              Send
            </button>
          )}
        </div>
      </form>
      <Fault error={fault} />
      {received !== undefined && <AnswerView received={received} />}
    </section>
  )
}

function wordsOf(error: unknown): string {
  if (error instanceof Unfit) return error.message
  return 'No response. Check your connection and try again.'
}

/** The fields for authentication. */
function Access({ operation: { security } }: { operation: Operation }) {
  const schemes = security.map(({ scheme }) => scheme)
  const bySession = schemes.includes('session')
  const byBearer = schemes.some((scheme) => scheme !== 'session' && scheme !== '')
  if (schemes.length === 0) return null
  return (
    <>
      {bySession && <Session />}
      {byBearer && !bySession && <Bearer />}
      {byBearer && bySession && (
        <details class="within">
          <summary>Use a key instead</summary>
          <Bearer />
        </details>
      )}
    </>
  )
}

function Session() {
  const name = signedIn.value
  if (reference.surface !== 'web' || name === undefined) return null
  if (name === null)
    return (
      <p class="news">
        <Icon name="alert" />
        <span>
          You are signed out. <a href={signInPath()}>Sign in</a> to send this request.
        </span>
      </p>
    )
  return (
    <p class="hint">
      Sent as <b>{name}</b>, with your session.
    </p>
  )
}

function Bearer() {
  return (
    <Field
      label="Bearer"
      name="bearer"
      type="password"
      autocomplete="off"
      hint="Sent with this request. Not stored."
    />
  )
}

function ParameterField({ name, required, schema, ...parameter }: Parameter) {
  const label = required === true ? name : `${name} (optional)`
  const field = `parameter ${name}`
  if (schema.enum !== undefined)
    return (
      <Choice label={label} name={field}>
        {required !== true && <option value="">not set</option>}
        {schema.enum.map((value) => (
          <option key={String(value)}>{String(value)}</option>
        ))}
      </Choice>
    )
  const hint = parameter.in === 'header' ? { hint: 'Header' } : {}
  return <Field label={label} name={field} autocomplete="off" {...hint} />
}

function BodyField({ types: [type = ''], sample }: { types: string[]; sample: string }) {
  if (!/json|text|urlencoded|jwt/.test(type))
    return (
      <div class="field">
        <label for="file">Body ({type})</label>
        <input id="file" name="file" type="file" />
      </div>
    )
  const rows = Math.min(16, Math.max(3, sample.split('\n').length + 1))
  return <Area label={`Body (${type})`} name="body" rows={rows} defaultValue={sample} />
}

function AnswerView({ received }: { received: Received }) {
  const { status, statusText, milliseconds, requestId, text, file } = received
  return (
    <figure class="code">
      <figcaption>
        <span role="status">
          <span class="status" data-good={status > 0 && status < 400}>
            {status === 0 ? 'Redirect' : status}
          </span>{' '}
          {statusText} · {milliseconds} ms
        </span>
        {text !== '' && <Copy text={text} />}
      </figcaption>
      <div class="scrolled answer-body" tabIndex={0} role="region" aria-label="Response">
        <pre>
          <code>{text === '' ? 'Empty' : text}</code>
        </pre>
      </div>
      {file !== undefined && (
        <p class="answer-end">
          <a href={file.address} download={file.name}>
            Save {file.name}
          </a>
        </p>
      )}
      {requestId !== null && <p class="answer-end meta">{requestId}</p>}
    </figure>
  )
}
