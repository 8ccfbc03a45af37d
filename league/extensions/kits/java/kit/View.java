import java.util.Map;

/** All that one seat may know when it must decide. Each game has a view of its own, with the fields of that game. */
public class View {
    /** Who is looking (0 to players - 1, in turn order to the left). */
    public final int seat;
    /** The moves to choose from, in ascending order; empty if it is not this seat's turn. */
    public final int[] legal;
    /** All fields by name, as they came: for games that have no view of their own here. */
    public final Map<String, Object> fields;

    View(Map<String, Object> fields) {
        this.fields = fields;
        seat = Json.integer(fields.get("seat"));
        legal = Json.integers(fields.get("legal"));
    }

    /** Ask a bot for its move, by the method that takes this kind of view. */
    int askedOf(Bot bot) {
        throw new UnsupportedOperationException("this bot has no method choose(View)");
    }
}
