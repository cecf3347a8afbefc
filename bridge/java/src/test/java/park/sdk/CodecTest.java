package park.sdk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.capnproto.PrimitiveList;
import org.junit.jupiter.api.Test;
import park.sdk.wire.Wire;

class CodecTest {
  private static Wire.Envelope.Reader sent(Consumer<Wire.Envelope.Builder> fill) {
    return Frame.read(Frame.write(fill));
  }

  private static Wire.Rows.Reader sentRows(Rows rows, Consumer<Wire.Rows.Builder> change) {
    return sent(to -> {
      Wire.Rows.Builder wire = to.initStep().initActions();
      RowsCodec.write(rows, wire);
      change.accept(wire);
    }).getStep().getActions();
  }

  private static ParkException refused(Rows rows, Consumer<Wire.Rows.Builder> change) {
    return assertThrows(ParkException.class,
        () -> RowsCodec.read(sentRows(rows, change), rows.space(), 4));
  }

  @Test
  void rowsComeBackAsTheyWere() {
    Rows rows = Shop.observation(3);
    Rows back = RowsCodec.read(sentRows(rows, to -> { }), Shop.SPEC.observation(), 3);
    RowsCodec.checkValues(back);
    assertEquals(3, back.count());
    assertEquals(4, back.elements("stages", 2));
    for (int c = 0; c < Shop.SPEC.observation().leaves().size(); ++c) {
      assertEquals(rows.column(c), back.column(c));
    }
    assertArrayEquals(new double[] {2.5}, back.doubles("time", 2));
    assertArrayEquals(new double[] {-1.5, -1.5}, back.doubles("size", 1));
    assertArrayEquals(new double[] {0, 1, 0, 1}, back.doubles("stage.job", 2));
    assertTrue(back.column("time").isReadOnly());
  }

  @Test
  void rowsThatAreNoneAreMalformed() {
    Rows rows = Shop.observation(2);
    assertEquals(Code.MALFORMED, refused(rows, to -> to.initColumns(2)).code());
    assertEquals(Code.MALFORMED, refused(rows, to -> to.initCounts(1)).code());
    assertEquals(Code.MALFORMED, refused(rows, to -> to.setCount(1)).code());
    assertEquals(Code.TOO_MUCH, refused(rows, to -> to.setCount(5)).code());
    assertEquals(Code.TOO_MUCH, refused(rows, to -> to.setCount(-1)).code());
    ByteBuffer counts = ByteBuffer.allocate(8).putInt(0, 1 << 24); // little-endian 1
    ParkException few = refused(rows, to -> to.getCounts().set(0, Frame.data(counts)));
    assertTrue(few.text().contains("bytes"), few.text());
    counts.putInt(0, -1);
    assertTrue(refused(rows, to -> to.getCounts().set(0, Frame.data(counts))).text()
        .contains("at most 5"));
  }

  @Test
  void valuesOutsideOfTheirBoundsAreMalformed() {
    Rows rows = Shop.observation(2);
    rows.set("time", 1, Double.NaN);
    assertTrue(assertThrows(ParkException.class, () -> RowsCodec.checkValues(rows)).text()
        .startsWith("time: NaN"));
    Rows indices = Shop.observation(2);
    indices.set("stage.job", 1, 2); // there are jobs 0 and 1
    assertTrue(assertThrows(ParkException.class, () -> RowsCodec.checkValues(indices)).text()
        .contains("no index of the 2 elements"));
  }

  @Test
  void specsComeBackAsTheyWere() {
    Spec back = SpecCodec.read(sent(to ->
        SpecCodec.write(Shop.SPEC, to.initOpenPolicy().initSpec())).getOpenPolicy().getSpec());
    assertEquals(Shop.SPEC.layoutHash(), back.layoutHash());
    assertEquals("shop", back.name());
    assertEquals(List.of(2L), back.observation().leaf("size").shape());
    assertEquals("s", back.observation().leaf("time").unit());
    assertEquals(List.of("stage", "stage.job"), back.action().leaf("limit").given());
    assertEquals(3, back.observation().groups().get(1).capacity());
    assertTrue(back.metrics().get(0).lowerIsBetter());
  }

  @Test
  void theLayoutHashTellsWhatAPolicyNeeds() {
    Leaf x = Leaf.of("x", DType.F32, 0, 1);
    Leaf a = Leaf.of("a", DType.I32, 0, 3);
    Spec one = spec(x, a);
    assertEquals(one.layoutHash(), spec(Leaf.of("x", DType.F32, -7, 7).doc("new").unit("s"), a)
        .layoutHash());
    assertNotEquals(one.layoutHash(), spec(x, Leaf.of("a", DType.I32, 0, 4)).layoutHash());
    assertNotEquals(one.layoutHash(), spec(Leaf.of("x", DType.F64, 0, 1), a).layoutHash());
    assertNotEquals(one.layoutHash(), spec(x.shape(List.of(1L)), a).layoutHash());
  }

  private static Spec spec(Leaf observation, Leaf action) {
    return new Spec("s", new Space(List.of(observation), List.of()),
        new Space(List.of(action), List.of()), List.of());
  }

  @Test
  void aSpecThatContradictsItselfIsMalformed() {
    Wire.Spec.Reader other = sent(to -> {
      Wire.Spec.Builder spec = to.initOpenPolicy().initSpec();
      SpecCodec.write(Shop.SPEC, spec);
      spec.setLayoutHash(1);
    }).getOpenPolicy().getSpec();
    assertEquals(Code.MALFORMED,
        assertThrows(ParkException.class, () -> SpecCodec.read(other)).code());
    assertThrows(ParkException.class, () -> new Space(
        List.of(Leaf.of("x", DType.U8, 0, 1).group("none")), List.of()));
    assertThrows(ParkException.class,
        () -> Leaf.of("x", DType.U8, 0, 1).shape(List.of(1L << 20, 1L << 20)));
  }

  private static ParkException refusedSpec(Consumer<Wire.Spec.Builder> change) {
    Wire.Spec.Reader spec = sent(to -> {
      Wire.Spec.Builder wire = to.initOpenPolicy().initSpec();
      SpecCodec.write(Shop.SPEC, wire);
      change.accept(wire);
    }).getOpenPolicy().getSpec();
    return assertThrows(ParkException.class, () -> SpecCodec.read(spec));
  }

  private static Consumer<Wire.Spec.Builder> shaped(int leaf, long... sizes) {
    return spec -> {
      PrimitiveList.Long.Builder shape =
          spec.getObservation().getLeaves().get(leaf).initShape(sizes.length);
      for (int i = 0; i < sizes.length; ++i) {
        shape.set(i, sizes[i]);
      }
    };
  }

  @Test
  void aLeafThatTakesTooMuchIsNamed() {
    for (long[] sizes : new long[][] {{1L << 62}, {1L << 32, 1L << 32}, {-4, -4}, {0}}) {
      ParkException e = refusedSpec(shaped(1, sizes));
      assertTrue(e.text().startsWith("size: shape ["), e.text());
    }
    ParkException row = refusedSpec(shaped(1, 1 << 24));
    assertEquals(Code.TOO_MUCH, row.code());
    assertTrue(row.text().startsWith("size: with its shape [16777216] 1 rows take"), row.text());
    ParkException bounds = refusedSpec(
        spec -> spec.getAction().getLeaves().get(3).setHigh(Double.NaN));
    assertTrue(bounds.text().startsWith("share: bounds"), bounds.text());
  }

  @Test
  void listsAndTextsOfASpecAreBounded() {
    ParkException long1 = refusedSpec(spec -> spec.setText("x".repeat(2 << 20)));
    assertTrue(long1.text().startsWith("spec: 209"), long1.text());
    ParkException name = refusedSpec(spec -> spec.setName("x".repeat(300)));
    assertTrue(name.text().startsWith("spec: 300 bytes in a name"), name.text());
    ParkException heads = refusedSpec(spec -> spec.getAction().initLeaves(257));
    assertTrue(heads.text().startsWith("spec: 257 leaves"), heads.text());
    ParkException sizes = refusedSpec(shaped(1, new long[33]));
    assertTrue(sizes.text().startsWith("spec: 33 sizes in the shape of size"), sizes.text());
    for (ParkException e : List.of(long1, name, heads, sizes)) {
      assertEquals(Code.TOO_MUCH, e.code());
    }
  }

  @Test
  void columnsWhoseSizesOverflowAreMalformed() {
    Space wide = new Space(List.of(Leaf.of("x", DType.F32, 0, 1).shape(List.of(1L << 26))),
        List.of());
    Wire.Rows.Reader rows = sent(to -> {
      Wire.Rows.Builder wire = to.initStep().initActions();
      wire.setCount(1 << 4); // times 2^26 times 4: 2^32 bytes
      wire.initColumns(1);
    }).getStep().getActions();
    ParkException e = assertThrows(ParkException.class, () -> RowsCodec.read(rows, wide, 16));
    assertEquals("x: 0 bytes, these rows have 4294967296", e.text());
    assertEquals(Code.TOO_MUCH,
        assertThrows(ParkException.class, () -> wide.checkRows(16)).code());
    assertEquals(Code.TOO_MUCH,
        assertThrows(ParkException.class, () -> Rows.zeros(wide, 16)).code());
  }

  @Test
  void countsBeyondWhatRowsHaveAreMalformed() {
    Space items = new Space(List.of(Leaf.of("x", DType.U8, 0, 1).group("items")),
        List.of(new Group("items", Long.MAX_VALUE)));
    for (long[] counts : new long[][] {{-1, 0}, {Integer.MAX_VALUE, Integer.MAX_VALUE}, {1, 2}}) {
      ByteBuffer bytes = ByteBuffer.allocate(8).order(java.nio.ByteOrder.LITTLE_ENDIAN);
      bytes.putInt((int) counts[0]).putInt((int) counts[1]);
      Wire.Rows.Reader rows = sent(to -> {
        Wire.Rows.Builder wire = to.initStep().initActions();
        wire.setCount(2);
        wire.initCounts(1).set(0, Frame.data(bytes));
        wire.initColumns(1);
      }).getStep().getActions();
      ParkException e = assertThrows(ParkException.class, () -> RowsCodec.read(rows, items, 2));
      assertEquals(Code.MALFORMED, e.code());
      assertTrue(e.text().startsWith(counts[0] == 1 ? "x: 0 bytes" : "items: "), e.text());
    }
  }

  @Test
  void withoutRowsThereNeedNotBeAnyColumn() {
    Wire.Decisions.Reader done = sent(to -> to.initDecisions().setDone(true)).getDecisions();
    Decisions decisions = new DecisionsReader(Shop.SPEC, 2).read(done);
    assertTrue(decisions.done());
    assertEquals(0, decisions.asked() + decisions.ended().size());
    assertEquals(0, decisions.observation().column("size").remaining());
    for (int[] lists : new int[][] {{0, 0}, {2, 0}, {0, 8}, {2, 8}}) {
      assertEquals(0, noRows(lists[0], lists[1], new byte[0]).count());
    }
    assertThrows(ParkException.class, () -> noRows(1, 8, new byte[0]));
    assertThrows(ParkException.class, () -> noRows(2, 7, new byte[0]));
    assertThrows(ParkException.class, () -> noRows(2, 8, new byte[1]));
  }

  private static Rows noRows(int counts, int columns, byte[] first) {
    return RowsCodec.read(sent(to -> {
      Wire.Rows.Builder wire = to.initStep().initActions();
      wire.initCounts(counts);
      if (columns > 0) {
        wire.initColumns(columns).set(0, Frame.data(ByteBuffer.wrap(first)));
      }
    }).getStep().getActions(), Shop.SPEC.observation(), 2);
  }

  @Test
  void aSlotIsAskedOnceInAMessageAndAFailedMessageIsForgotten() {
    DecisionsReader reader = new DecisionsReader(Shop.SPEC, 2);
    reader.read(asked(2, new int[] {0, 1}, 0, 0));
    ParkException twice = assertThrows(ParkException.class,
        () -> reader.read(asked(2, new int[] {0, 0}, 1, 2)));
    assertEquals("slot: 0 is asked twice", twice.text());
    assertEquals("slot: 7, there are 2", assertThrows(ParkException.class,
        () -> reader.read(asked(2, new int[] {0, 7}, 1, 1))).text());
    assertEquals(2, reader.read(asked(2, new int[] {0, 1}, 1, 1)).asked());
    reader.undo();
    assertEquals(2, reader.read(asked(2, new int[] {1, 0}, 1, 1)).asked());
  }

  /** A message that asks for rows with these numbers; the first ones begin contexts. */
  private static Wire.Decisions.Reader asked(int n, int[] slots, long... sequences) {
    return sent(to -> {
      Wire.Decisions.Builder d = to.initDecisions();
      d.setAsked(n);
      RowsCodec.write(Shop.observation(n), d.initObservation());
      ByteBuffer slot = ByteBuffer.allocate(4 * n).order(java.nio.ByteOrder.LITTLE_ENDIAN);
      ByteBuffer sequence = ByteBuffer.allocate(8 * n).order(java.nio.ByteOrder.LITTLE_ENDIAN);
      int begun = 0;
      for (int i = 0; i < n; ++i) {
        slot.putInt(slots[i]);
        sequence.putLong(sequences[i]);
        begun += sequences[i] == 0 ? 1 : 0;
      }
      d.setSlot(slot.array());
      d.setSequence(sequence.array());
      if (begun > 0) {
        d.initBegun(begun);
      }
    }).getDecisions();
  }

  @Test
  void textsOfOthersAreShownWithoutControlCharacters() {
    ParkException e = new ParkException(Code.INTERNAL, "a\u001b]52;c;AA\u0007\n\u009bZ\u007f\ré");
    assertEquals("a\\x1b]52;c;AA\\x07\n\\xc2\\x9bZ\\x7f\\x0dé", e.text());
    assertEquals("internal: " + e.text(), e.getMessage());
    for (String part : List.of("x", "é", "\u001b", "\n", "\ud83d\ude00")) {
      String text = new ParkException(Code.INTERNAL, part.repeat(1 << 20)).text();
      int bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
      assertTrue(bytes <= PlainText.MOST_BYTES && bytes > PlainText.MOST_BYTES / 2, part + bytes);
      assertTrue(text.contains(" more"), part);
    }
    String lines = new ParkException(Code.INTERNAL, "unknown field\n".repeat(200_000)).text();
    long kept = lines.lines().count() - 1;
    assertTrue(lines.endsWith("unknown field\nand " + (200_000 - kept) + " more"));
  }

  @Test
  void choicesFollowMasksAndRanges() {
    Rows seen = Shop.observation(2);
    Rows actions = Rows.zeros(Shop.SPEC.action(), 2);
    assertArrayEquals(new long[] {1, 2},
        Choices.of(Shop.SPEC, "stage", seen, actions, 1).values());
    actions.set("stage", 1, 1);
    Choices limit = Choices.of(Shop.SPEC, "limit", seen, actions, 1); // of job 1
    assertEquals(10, limit.low());
    assertEquals(20, limit.high());
    assertArrayEquals(new long[] {2},
        Choices.of(Shop.SPEC, "speed", seen, actions, 1).values());
    actions.set("stage", 1, 2);
    assertEquals(1, Choices.of(Shop.SPEC, "limit", seen, actions, 1).low());
    assertArrayEquals(new long[] {3},
        Choices.of(Shop.SPEC, "speed", seen, actions, 1).values());
    assertFalse(Choices.of(Shop.SPEC, "stage", seen, actions, 1).allows(3));
    assertThrows(ParkException.class,
        () -> Choices.of(Shop.SPEC, "share", seen, actions, 1));
  }

  @Test
  void illegalActionsAreFound() {
    Rows seen = Shop.observation(1);
    Choices.check(Shop.SPEC, seen, Shop.actions(1, 10, 2, 0.5), 0);
    for (Rows wrong : List.of(Shop.actions(0, 1, 1, 0), Shop.actions(1, 9, 2, 0),
        Shop.actions(1, 10, 1, 0), Shop.actions(1, 10, 2, 1.5), Shop.actions(2, 1, 3, 0))) {
      assertEquals(Code.ILLEGAL_ACTION, assertThrows(ParkException.class,
          () -> Choices.check(Shop.SPEC, seen, wrong, 0)).code());
    }
  }

  @Test
  void framesOfEveryLengthAndWithChangedBitsThrowParkExceptionAlone() {
    byte[] good = Frame.write(to -> {
      Wire.StreamOpened.Builder opened = to.initStreamOpened();
      SpecCodec.write(Shop.SPEC, opened.initSpec());
      RowsCodec.write(Shop.observation(2), opened.initFirst().initObservation());
      opened.getFirst().setAsked(2);
    });
    Random random = new Random(1);
    int rejected = 0;
    for (int i = 0; i < 20_000; ++i) {
      byte[] bytes = i < good.length ? java.util.Arrays.copyOf(good, i) : good.clone();
      for (int n = i < good.length ? 0 : 1 + random.nextInt(8); n > 0; --n) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        Frame.decoding(() -> {
          Wire.Envelope.Reader envelope = Frame.read(bytes);
          Environment.expect(envelope, Wire.Envelope.Which.STREAM_OPENED, "test");
          Wire.StreamOpened.Reader opened = envelope.getStreamOpened();
          Spec spec = SpecCodec.read(opened.getSpec());
          return new DecisionsReader(spec, 2).read(opened.getFirst());
        });
      } catch (ParkException e) {
        ++rejected;
      }
    }
    assertTrue(rejected > 1000, "rejected " + rejected);
  }

  @Test
  void endpointsAreChecked() {
    assertEquals("tcp://h:5", Endpoint.connectable("tcp://h:5"));
    assertEquals("tcp://127.0.0.1:*", Endpoint.bindable("tcp://127.0.0.1:*"));
    assertTrue(Endpoint.isFile("a/b.json"));
    for (String wrong : List.of("", "tcp://h", "tcp://h:*", "tcp://h:0", "tcp://h:65536",
        "udp://h:1", "tcp://:1", "ipc:///a/b")) {
      assertEquals(Code.INVALID_CONFIG, assertThrows(ParkException.class,
          () -> Endpoint.connectable(wrong)).code(), wrong);
    }
    assertTrue(assertThrows(ParkException.class, () -> Endpoint.connectable("ipc:///a/b")).text()
        .contains("tcp://HOST:PORT"));
    for (String open : List.of("tcp://0.0.0.0:1", "tcp://*:1", "tcp://10.0.0.1:*",
        "tcp://127.example.org:1", "tcp://127.0.0.1.example.org:1")) {
      assertEquals(Code.NOT_ALLOWED, assertThrows(ParkException.class,
          () -> Endpoint.bindable(open)).code(), open);
    }
  }
}
