import type { Mail } from './message.ts'

/** Precedence values of programs: RFC 3834, section 2, and common use. */
const bulk = /^(auto_reply|bulk|junk|list)\b/i

/** Headers whose presence alone shows a mailing list or a responder. */
const automaticHeaders = [
  'list-archive',
  'list-help',
  'list-id',
  'list-owner',
  'list-post',
  'list-subscribe',
  'list-unsubscribe',
  'x-autoreply',
  'x-autorespond',
  'x-auto-reply-from',
  'x-failed-recipients',
]

/** Local parts of the addresses that programs send from. */
const programs = /^(mailer-daemon|postmaster|bounces?|no-?reply|do-?not-?reply)([+._-].*)?$/

/**
 * Returns whether a program sent a mail: an automatic reply, a bounce or a mailing list. Such a mail gets no answer, so
 * that two programs never answer each other endlessly. https://www.rfc-editor.org/rfc/rfc3834
 * @param envelopeFrom the return path; empty for bounces
 */
export function isAutomatic(mail: Mail, envelopeFrom: string): boolean {
  const first = (name: string) => (mail.header(name)[0] ?? '').trim()
  const submitted = first('auto-submitted')
  const suppressed = first('x-auto-response-suppress')
  return (
    envelopeFrom === '' ||
    (submitted !== '' && !/^no\b/i.test(submitted)) ||
    (suppressed !== '' && !/^none$/i.test(suppressed)) ||
    bulk.test(first('precedence')) ||
    automaticHeaders.some((name) => mail.header(name).length > 0) ||
    /^multipart\/report\b/i.test(first('content-type')) ||
    programs.test(mail.from?.address.split('@')[0] ?? '')
  )
}
