/** The places of a conversation at which the proxy of `fault-proxy.ts` can do harm, found in its bytes. */

export const TLS_PLACES = [
  'start',
  'client-hello',
  'server-hello',
  'server-certificate',
  'after-handshake',
  'request',
  'answer',
] as const;
export type TlsPlace = (typeof TLS_PLACES)[number];

export const HTTP_PLACES = [
  'request-head',
  'before-answer',
  'status-line',
  'headers',
  'after-headers',
  'body-first',
  'body-middle',
  'body-last',
  'after-body',
] as const;
export type HttpPlace = (typeof HTTP_PLACES)[number];

interface Record_ {
  readonly isEncrypted: boolean;
  readonly start: number;
  readonly length: number;
}

const HEADER_BYTES = 5;
const APPLICATION_DATA = 23;

/** RFC 8446 §5.1: type, version, length; the last one may not be complete. */
function recordsOf(bytes: Buffer): readonly Record_[] {
  const records: Record_[] = [];
  for (let start = 0; start + HEADER_BYTES <= bytes.length; ) {
    const length = HEADER_BYTES + bytes.readUInt16BE(start + 3);
    records.push({ isEncrypted: bytes[start] === APPLICATION_DATA, start, length });
    start += length;
  }
  return records;
}

/** The offset in the bytes of a direction, once it is known there; nothing while it isn't, or is in the other one. */
export function tlsOffset(
  { place, fraction }: { readonly place: TlsPlace; readonly fraction: number },
  direction: 'request' | 'answer',
  seen: Readonly<Record<'request' | 'answer', Buffer>>,
): number | undefined {
  const records = recordsOf(seen[direction]);
  const encrypted = records.filter(({ isEncrypted }) => isEncrypted);
  const inside = (record: Record_ | undefined): number | undefined =>
    record === undefined ? undefined : record.start + within(record.length, fraction);
  switch (place) {
    case 'start':
      return direction === 'request' ? 0 : undefined;
    case 'client-hello':
      return direction === 'request' ? inside(records[0]) : undefined;
    case 'server-hello':
      return direction === 'answer' ? inside(records[0]) : undefined;
    case 'server-certificate':
      return direction === 'answer' ? inside(encrypted[0]) : undefined;
    // The client's first encrypted record is its Finished, the second is the request.
    case 'after-handshake':
      return direction === 'request' ? encrypted[1]?.start : undefined;
    case 'request':
      return direction === 'request' ? inside(encrypted[1]) : undefined;
    case 'answer': {
      const isAsked = recordsOf(seen.request).filter(({ isEncrypted }) => isEncrypted).length > 1;
      return direction === 'answer' && isAsked ? inside(records.at(-1)) : undefined;
    }
  }
}

/** The offset in a whole request head, or in a whole answer. */
export function httpOffset(
  { place, fraction }: { readonly place: HttpPlace; readonly fraction: number },
  bytes: Buffer,
): number {
  const [line, head, end] = [bytes.indexOf('\r\n'), headLength(bytes), bytes.length];
  switch (place) {
    case 'request-head':
      return within(end, fraction);
    case 'before-answer':
      return 0;
    case 'status-line':
      return within(line, fraction);
    case 'headers':
      return line + within(head - line, fraction);
    case 'after-headers':
      return head;
    case 'body-first':
      return head + 1;
    case 'body-middle':
      return head + within(end - head, fraction);
    case 'body-last':
      return end - 1;
    case 'after-body':
      return end;
  }
}

/** Whether an answer is complete, by its Content-Length or its last chunk. */
export function isWhole(answer: Buffer): boolean {
  const head = headLength(answer);
  if (head < 4) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.toString('latin1', 0, head))?.[1];
  return length === undefined
    ? answer.subarray(head - 2).includes('\r\n0\r\n\r\n')
    : answer.length >= head + Number(length);
}

function headLength(bytes: Buffer): number {
  return bytes.indexOf('\r\n\r\n') + 4;
}

/** From 1 to `length - 1`. */
function within(length: number, fraction: number): number {
  return 1 + Math.floor(fraction * (length - 1));
}
