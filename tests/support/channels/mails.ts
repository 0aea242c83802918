/** Mails as clients and servers write them, for tests of the email channel. Lines end with CRLF on the wire. */

interface Parts {
  /** Further header lines. */
  headers?: readonly string[]
  from?: string
  to?: string
  subject?: string
  /** With angle brackets; an empty text leaves the header out. */
  id?: string
  /** The lines after the common headers, which begin with the content's own headers. */
  content?: readonly string[]
}

/** Returns a mail. Without other content it is plain text. */
export function mailOf({
  headers = [],
  from = 'Ada <ada@example.com>',
  to = 'agent@agents.localhost',
  subject = 'Question',
  id = '<CAF1.0001@mail.example.com>',
  content = plain('Which day is it?'),
}: Parts = {}): string {
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    'Date: Thu, 26 Nov 2026 09:15:00 +0100',
    ...(id === '' ? [] : [`Message-ID: ${id}`]),
    'MIME-Version: 1.0',
    ...headers,
    ...content,
  ].join('\r\n')
}

export const plain = (...lines: string[]) => [
  'Content-Type: text/plain; charset="UTF-8"',
  '',
  ...lines,
]

export const html = (...lines: string[]) => [
  'Content-Type: text/html; charset="UTF-8"',
  'Content-Transfer-Encoding: 8bit',
  '',
  ...lines,
]

/** Text in an 8-bit or multi-byte charset, in base64. */
export const encoded = (charset: string, bytes: Uint8Array) => [
  `Content-Type: text/plain; charset=${charset}`,
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from(bytes).toString('base64'),
]

const part = (boundary: string, ...lines: string[]) => [`--${boundary}`, ...lines]

export const multipart = (kind: string, ...parts: readonly (readonly string[])[]) => {
  const boundary = `=_${kind.replaceAll(/\W/g, '')}_b0undary`
  return [
    `Content-Type: multipart/${kind}; boundary="${boundary}"`,
    '',
    ...parts.flatMap((lines) => part(boundary, ...lines)),
    `--${boundary}--`,
    '',
  ]
}

/** A file as an attachment. */
export const attached = (
  name: string,
  mime: string,
  body: Uint8Array,
  disposition = 'attachment',
) => [
  `Content-Type: ${mime}; name="${name}"`,
  `Content-Disposition: ${disposition}; filename="${name}"`,
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from(body).toString('base64'),
]

/** An answer written in Gmail's web client: text and HTML, both with the quoted mail. */
export const gmailReply = (text: string) =>
  multipart(
    'alternative',
    [
      'Content-Type: text/plain; charset="UTF-8"',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      text,
      '',
      'On Wed, Nov 25, 2026 at 6:02=E2=80=AFPM Research <',
      'agent@agents.localhost> wrote:',
      '',
      '> It is Wednesday.',
      '>',
      '> Anything else?',
      '>',
    ],
    html(
      `<div dir="ltr">${text}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Wed, Nov 25, 2026 at 6:02 PM Research &lt;<a href="mailto:agent@agents.localhost">agent@agents.localhost</a>&gt; wrote:<br></div><blockquote class="gmail_quote">It is Wednesday.</blockquote></div>`,
    ),
  )

/** An answer written in Outlook, HTML only, with its quoted header. */
export const outlookReply = (text: string) =>
  html(
    '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}</style></head>',
    `<body lang="EN-US"><div class="WordSection1"><p class="MsoNormal">${text}<o:p></o:p></p>`,
    '<p class="MsoNormal"><o:p>&nbsp;</o:p></p>',
    '<div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal"><b>From:</b> Research &lt;agent@agents.localhost&gt;<br>',
    '<b>Sent:</b> Wednesday, November 25, 2026 6:02 PM<br><b>To:</b> Ada &lt;ada@example.com&gt;<br>',
    '<b>Subject:</b> Re: Question</p></div><p class="MsoNormal">It is Wednesday.</p></div></body></html>',
  )

/** An answer written in Apple Mail on a phone. */
export const appleReply = (text: string) => [
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  text,
  '',
  'Sent from my iPhone',
  '',
  '> On 25 Nov 2026, at 18:02, Research <agent@agents.localhost> wrote:',
  '>=20',
  '> =EF=BB=BFIt is Wednesday.',
]

/** A mail that its own server returns: RFC 3464. */
export const bounce = multipart(
  'report; report-type=delivery-status',
  plain('Your message could not be delivered.'),
  [
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mail.example.com',
    '',
    'Final-Recipient: rfc822; nobody@example.com',
    'Action: failed',
    'Status: 5.1.1',
  ],
)
